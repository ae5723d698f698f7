//@ layouts = ["P = soa", "P = aos align(16)", "P = tiled(32)"]
#include <cstdio>
#include <cuda_runtime.h>
struct P { float a, b; int k; };
template <class T> __global__ void kern(T *p, int n);
template <class T> __global__ void kern(T *p, int n) { int i = threadIdx.x; if (i < n) p[i].a += p[i].b; }
int main() { const int n = 50; P h[n]; for (int i = 0; i < n; i++) h[i] = {1.0f * i, 2, i}; P *d; cudaMalloc((void **)&d, sizeof(P) * n); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); kern<P><<<1, 64>>>(d, n); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); double s = 0; for (int i = 0; i < n; i++) s += h[i].a * i + h[i].b + h[i].k; printf("%f\n", s); }
