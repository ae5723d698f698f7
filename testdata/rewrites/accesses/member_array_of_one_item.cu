//@ layouts = ["P = soa", "P = aos align(16)", "P = tiled(32)"]
#include <cstdio>
#include <cuda_runtime.h>
struct P { float w; float m[1]; };
__global__ void k(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].m[0] += p[i].w;
}
int main() {
    int n = 10;
    P h[10];
    for (int i = 0; i < n; ++i) { h[i].w = i; h[i].m[0] = 1; }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    k<<<1, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%g\n", h[9].m[0]);
    cudaFree(d);
}
