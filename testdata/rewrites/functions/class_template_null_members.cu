//@ layouts = ["* = soa", "* = tiled(32)"]
#include <cuda_runtime.h>
struct P {
    float x, y;
};
template <class T>
class Buffer {
    T *d = nullptr;
    T *spare{};
    T *third{nullptr};
    int n = 0;

public:
    Buffer() = default;
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { release(); }
    void resize(int m) {
        release();
        n = m;
        cudaMalloc(&d, n * sizeof(T));
        cudaMalloc(&spare, n * sizeof(T));
    }
    void release() {
        if (d) cudaFree(d);
        if (spare != nullptr) cudaFree(spare);
        if (!third) third = d;
        d = spare = nullptr;
    }
    T *get() { return d; }
};
struct Pair {
    P *first = NULL;
    int n = 0;
};
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
int main() {
    Buffer<P> b;
    b.resize(100);
    Buffer<float> other;
    other.resize(3);
    Pair pair;
    pair.first = b.get();
    step<<<1, 100>>>(pair.first, 100);
    return 0;
}
