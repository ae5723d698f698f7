//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    P *h = new P[n](); //~ LC0031 it cannot be seen what this points to
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice); //~ LC0023 the direction of this copy says that this is host memory
    P *q = h;
    if (n > 3)
        q = d;
    q[0].x = 1.0f; //~ LC0023 host code accesses an element in device memory
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost); //~ LC0023 the direction of this copy says that this is host memory
    cudaFree(d);
    delete[] h; //~ LC0010 device memory is given to `delete`
    return 0;
}
