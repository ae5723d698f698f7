//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cuda_runtime.h>
#include <utility>
#include <vector>
struct P { float x, y; };
template <class T> struct Buffer {
    T *d = nullptr;
    explicit Buffer(int n) { cudaMalloc(&d, n * sizeof(T)); }
    Buffer(Buffer &&o) noexcept : d(std::exchange(o.d, nullptr)) {}
    ~Buffer() { cudaFree(d); }
};
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    std::vector<Buffer<P>> all;
    Buffer<P> first(64);
    step<<<1, 64>>>(first.d, 64);
    all.push_back(std::move(first));
    return 0;
}
