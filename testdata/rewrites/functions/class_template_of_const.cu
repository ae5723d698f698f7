//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
struct P { float x, y; int id; };
template <class T> struct View { T *p; int n; __host__ __device__ View(T *p, int n) : p{p}, n{n} {} __device__ float x(int i) const { return p[i].x; } };
__global__ void step(View<P> v, View<const P> c) { int i = threadIdx.x; if (i < v.n) v.p[i].x += c.p[i].y + c.x(i); }
int main() { P h[50]; for (int i = 0; i < 50; i++) h[i].x = h[i].y = i; P *d; cudaMalloc(&d, sizeof h); 
 cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); step<<<1, 64>>>(View<P>(d, 50), View<const P>(d, 50)); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); printf("%g\n", h[7].x); }
