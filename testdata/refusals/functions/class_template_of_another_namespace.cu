//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
namespace mem {
template <class T, int PAD = 2> class Buffer { //~ LC0029 the text of this class template would change in another namespace
  public:
    explicit Buffer(int m);
    ~Buffer() { cudaFree(d); }
    T *get() const { return d; }
    int size() const { return n + PAD * 0; }
  private:
    T *d;
    int n;
};
template <class T, int PAD> Buffer<T, PAD>::Buffer(int m) : d(nullptr), n(m) { cudaMalloc((void **)&d, (n + PAD) * sizeof(T)); }
}
namespace { struct P { float x, y; int id; }; }
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() { P h[50]; for (int i = 0; i < 50; i++) h[i].x = h[i].y = i; mem::Buffer<P> b(50); mem::Buffer<int, 3> c(3);
 cudaMemcpy(b.get(), h, sizeof h, cudaMemcpyHostToDevice); step<<<1, 64>>>(b.get(), b.size()); cudaMemcpy(h, b.get(), sizeof h, cudaMemcpyDeviceToHost); printf("%g %d\n", h[7].x, c.size()); }
