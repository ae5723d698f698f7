//@ layouts = ["P = soa", "P = tiled(32)"]
#include <cstdio>
struct P {
    alignas(16) float x;
    int id[8];
    P() = default;
    __host__ __device__ explicit P(int n) : x(n) {}
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].id[3] += 1;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<4, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%d\n", h[99].id[3]);
    cudaFree(d);
    delete[] h;
    return 0;
}
