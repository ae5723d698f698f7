//@ layout = "* = soa"
#include <cuda_runtime.h>
struct P {
    float x, y;
};
template <typename T>
class Buffer {
    T *d_;
    size_t n_;

public:
    Buffer(size_t n) : n_(n) { cudaMalloc(&d_, n * sizeof(T)); }
    ~Buffer() { cudaFree(d_); }
    T *get() { return d_; }
    size_t size() const { return n_; }
    void upload(const T *h) { cudaMemcpy(d_, h, n_ * sizeof(T), cudaMemcpyHostToDevice); }
};
template <> //~ LC0077 this construct is not modelled and mentions `P`
size_t Buffer<P>::size() const {
    return 7;
}
__global__ void k(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}
int main() {
    P h[32] = {};
    Buffer<P> a(32);
    a.upload(h);
    k<<<1, 32>>>(a.get(), 32);
}
