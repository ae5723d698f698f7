//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
struct P { float x, y; int id; };
struct Q { double a; float b; };
template
  <  class T /* the element */ >
struct
  Buf
{
    T *d; int n;
    Buf() : d(0), n(0) {}
    void init(int m) { n = m; cudaMalloc(&d, n * sizeof(T)); }
    T *get() { return d; }
    void load(const T *h) { cudaMemcpy(get(), h, n * sizeof(T), cudaMemcpyHostToDevice); }
    void save(T *h) { cudaMemcpy(h, get(), n * sizeof(T), cudaMemcpyDeviceToHost); }
    void free() { cudaFree(d); d = 0; }
};
template <class A, class B> struct Pair {
    Buf<A> a; Buf<B> b;
    void init(int n) { a.init(n); b.init(n); }
    A *first() { return a.get(); }
    B *second() { return b.d; }
};
__global__ void step(P *p, Q *q, int n) { int i = threadIdx.x; if (i < n) { p[i].x += q[i].b; q[i].a += p[i].id; } }
int main() { P h[50]; Q g[50]; for (int i = 0; i < 50; i++) { h[i].x = h[i].y = i; h[i].id = i; g[i].a = i; g[i].b = 2; }
 Pair<P, Q> s; s.init(50); Buf<float> f; f.init(4); s.a.load(h); s.b.load(g);
 step<<<1, 64>>>(s.first(), s.second(), 50); s.a.save(h); s.b.save(g); s.a.free(); s.b.free(); f.free(); printf("%g %g\n", h[7].x, g[9].a); }
