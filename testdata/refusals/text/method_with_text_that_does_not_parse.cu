//@ layout = "P = soa"
float a;
struct P {
    float a;
    int b;
    __device__ void f() {
        int z = 1; <% a = 3; %> //~ LC0002 this region does not parse
        b += z;
    }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].f(); //~ LC0027 `f` may change the element and cannot be given a version: part of its text is not understood
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
