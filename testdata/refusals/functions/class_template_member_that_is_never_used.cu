//@ layout = "* = soa"
#include <cuda_runtime.h>
struct P {
    float x, y;
};
template <typename T>
class Buffer { //~ LC0029 the text of this class template would change, and a member that is never used may not be valid for this instance
    T *d_;
    size_t n_;

public:
    Buffer(size_t n) : n_(n) { cudaMalloc(&d_, n * sizeof(T)); }
    ~Buffer() { cudaFree(d_); }
    T *get() { return d_; }
    T sum(const T *h) const;
    void upload(const T *h) { cudaMemcpy(d_, h, n_ * sizeof(T), cudaMemcpyHostToDevice); }
};
template <typename T>
T Buffer<T>::sum(const T *h) const {
    T s = 0;
    for (size_t i = 0; i < n_; i++)
        s += h[i];
    return s;
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
