//@ layout = "P = soa"
struct P {
    float x;
    int id;
    P() = default;
    __host__ __device__ P(const P &o) : x(o.x), id(0) {} //~ LC0027 the element type has a user-declared copy or move operation
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P q = p[i];
        p[i].x = q.x;
    }
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
