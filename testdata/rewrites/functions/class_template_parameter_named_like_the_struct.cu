//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
template <class P> struct Buffer {
    P *d; int n;
    explicit Buffer(int m) : n(m) { cudaMalloc(&d, n * sizeof(P)); }
    ~Buffer() { cudaFree(d); }
    P *get() const { return d; }
};
template <class T> void show(const Buffer<T> &b) { printf("%d\n", b.n); }
struct P { float x, y; int id; };
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() { P h[50]; for (int i = 0; i < 50; i++) h[i].x = h[i].y = i; Buffer<P> b(50); Buffer<int> c(3); show(b); show(c);
 cudaMemcpy(b.get(), h, sizeof h, cudaMemcpyHostToDevice); step<<<1, 64>>>(b.get(), 50); cudaMemcpy(h, b.d, sizeof h, cudaMemcpyDeviceToHost); printf("%g\n", h[7].x); }
