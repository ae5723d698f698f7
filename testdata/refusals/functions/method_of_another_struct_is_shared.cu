//@ layout = "P = soa"
#include <cstdio>
#include <cuda_runtime.h>
struct P { float a, b; int k; __device__ void up(float x) { a += x; } };
struct View { P *p; __device__ void go(int i, const P &o) { p[i].up(o.b); } }; //~ LC0083 a member function of another class is given this array and other memory
__global__ void k(View w, int n) { int i = threadIdx.x; if (i < n) { P l = w.p[i]; w.go(i, l); w.go(i, w.p[i]); } }
int main() { const int n = 50; P h[n]; for (int i = 0; i < n; i++) h[i] = {1.0f * i, 2, i}; View w; cudaMalloc(&w.p, n * sizeof(P)); cudaMemcpy(w.p, h, sizeof h, cudaMemcpyHostToDevice); k<<<1, 64>>>(w, n); cudaMemcpy(h, w.p, sizeof h, cudaMemcpyDeviceToHost); double s = 0; for (int i = 0; i < n; i++) s += h[i].a * i + h[i].b + h[i].k; printf("%f\n", s); }
