//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
struct P { float x, y; int id; };
template <class A> __host__ __device__ const A &least(const A &a, const A &b) { return a < b ? a : b; }
template <class T, int CAP> struct Ring {
    T *d; int n;
    __host__ __device__ Ring(T *d, int n) : d(d), n(n) {}
    __device__ T at(int i) const { return d[least(i, CAP)]; }
    __device__ void put(int i, const T &v) { d[i < CAP ? i : CAP - 1] = v; }
};
__global__ void step(P *p, int n) { int i = threadIdx.x; Ring<P, 40> r(p, n); if (i < n) { P q = r.at(i); q.x += q.y; r.put(i, q); } }
int main() { P h[50]; for (int i = 0; i < 50; i++) h[i].x = h[i].y = i; P *d; cudaMalloc(&d, sizeof h);
 cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); step<<<1, 32>>>(d, 32); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); printf("%g\n", h[7].x); }
