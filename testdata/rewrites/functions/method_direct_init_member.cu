//@ layouts = ["* = soa", "* = tiled(32)"]
#include <cstdio>
#include <cuda_runtime.h>
const float a = 1000;
struct P { float a; int b; __host__ __device__ void f() { float w(a); b += 1; a = w + 1; } };
__global__ void k(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { p[i].f(); }
}
int main() {
    const int n = 40;
    P h[n], *d;
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; }
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    k<<<2, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; i++) { s += h[i].a * (i % 3) + h[i].b; }
    printf("%g\n", s);
    cudaFree(d);
}
