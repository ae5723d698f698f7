//@ layouts = ["P = soa", "P = aos align(16)", "P = tiled(32)"]
#include <cstdio>
#include <cuda_runtime.h>
struct P { float a, b; int k;
 __device__ float &x(int i) { return i ? a : b; }
 __device__ float x(int i) const { return i ? a * 2 : b * 3; } };
__global__ void k(P *p, const P *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { p[i].x(1) += 2; p[i].b += c[i].x(0); } }
int main() { const int n = 50; P h[n]; for (int i = 0; i < n; i++) h[i] = {1.0f * i, 2, i}; P *d; cudaMalloc((void **)&d, sizeof(P) * n); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); k<<<1, 64>>>(d, d, n); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); double s = 0; for (int i = 0; i < n; i++) s += h[i].a * i + h[i].b + h[i].k; printf("%f\n", s); }
