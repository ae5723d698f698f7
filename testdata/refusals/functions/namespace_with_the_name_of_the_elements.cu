//@ layout = "* = soa"
// In `memory` the name `sim` means another namespace.
#include <cuda_runtime.h>
namespace memory {
namespace sim { inline int unit() { return 1; } }
template <class T> class Buffer { //~ LC0029 the text of this class template would change in another namespace
public:
    explicit Buffer(int n) : n(n) { cudaMalloc((void **)&data, n * sizeof(T)); }
    ~Buffer() { cudaFree(data); }
    T *get() const { return data; }

private:
    T *data;
    int n;
};
}
namespace sim {
struct P { float x, y; int id; };
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
}
int main() {
    memory::Buffer<sim::P> buffer(64);
    sim::step<<<1, 64>>>(buffer.get(), 64);
    return 0;
}
