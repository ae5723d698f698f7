//@ layouts = ["* = soa", "* = tiled(32)"]
#include <cstdio>
#include <cuda_runtime.h>
struct P { float a; int b; float c; __host__ __device__ void f() { (b > 6 ? a : c) = 3; } };
__global__ void k(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { p[i].f(); }
}
int main() {
    const int n = 40;
    P h[n], *d;
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = i; h[i].c = 1; }
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    k<<<2, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; i++) { s += h[i].a * (i % 3) + h[i].c; }
    printf("%g\n", s);
    cudaFree(d);
}
