//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
struct P { float x, y; int id; };
template <class T> struct Buffer { //~ LC0029 the text of this class template would change, and it has static members or friends
    T *d; int n; static int live; friend void count(Buffer &b) { b.n++; }
    explicit Buffer(int m) : n(m) { cudaMalloc(&d, n * sizeof(T)); live++; }
    ~Buffer() { cudaFree(d); }
    T *get() const { return d; }
};
template <class T> int Buffer<T>::live = 0;
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() { P h[50]; for (int i = 0; i < 50; i++) h[i].x = h[i].y = i; Buffer<P> b(50); Buffer<int> c(3);
 cudaMemcpy(b.get(), h, sizeof h, cudaMemcpyHostToDevice); step<<<1, 64>>>(b.get(), 50); cudaMemcpy(h, b.d, sizeof h, cudaMemcpyDeviceToHost); printf("%g\n", h[7].x); }
