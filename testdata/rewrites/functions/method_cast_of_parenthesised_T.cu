//@ layouts = ["* = soa", "* = tiled(32)"]
#include <cstdio>
#include <cuda_runtime.h>
typedef int T;
template <class T> struct V { T a; int b; __host__ __device__ void f() { a = a / 4 + (T)(b * 0.3f); } };
__global__ void k(V<float> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { p[i].f(); }
}
int main() {
    const int n = 40;
    V<float> h[n], *d;
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; }
    cudaMalloc(&d, n * sizeof(V<float>));
    cudaMemcpy(d, h, n * sizeof(V<float>), cudaMemcpyHostToDevice);
    k<<<2, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(V<float>), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; i++) { s += h[i].a * (i % 3) + h[i].b; }
    printf("%g\n", s);
    cudaFree(d);
}
