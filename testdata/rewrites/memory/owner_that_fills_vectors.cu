//@ layouts = ["* = tiled(32)", "* = soa"]
// A class template that owns an array through a `shared_ptr` and fills vectors that it is given by pointer and by reference.
#include <cstdio>
#include <cuda_runtime.h>
#include <memory>
#include <vector>
struct P {
    float x, y;
    int k;
};
template <typename T> class Array {
public:
    explicit Array(size_t length);
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    T *data() const { return array_.get(); }
    size_t length() const { return length_; }
    void clear() { cudaMemset(this->data(), 0, sizeof(T) * this->length()); }
    void copyTo(std::vector<T> *to) const { cudaMemcpy(to->data(), this->data(), length_ * sizeof(T), cudaMemcpyDeviceToHost); }
    void copyTo(std::vector<T> &to) const { cudaMemcpy(&to.front(), this->data(), length_ * sizeof(T), cudaMemcpyDeviceToHost); }
    void copyFrom(const std::vector<T> *from) { cudaMemcpy(this->data(), &from->front(), length_ * sizeof(T), cudaMemcpyHostToDevice); }

private:
    size_t length_;
    std::shared_ptr<T> array_;
};
template <typename T> Array<T>::Array(size_t length) : length_(length) {
    T *ptr;
    cudaMalloc((void **)&ptr, sizeof(T) * length);
    std::shared_ptr<T> owned(ptr, [](T *ptr) { cudaFree(ptr); });
    array_ = owned;
    clear();
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += i;
        p[i].y += 2 * i;
        p[i].k++;
    }
}
int main() {
    Array<P> array(64);
    Array<float> other(3);
    std::vector<P> h(64), g(64);
    step<<<2, 32>>>(array.data(), (int)array.length());
    array.copyTo(&h);
    array.copyFrom(&h);
    step<<<2, 32>>>(array.data(), (int)array.length());
    array.copyTo(g);
    for (int i = 0; i < 64; i += 9) printf("%g %g %d %g %g %d\n", h[i].x, h[i].y, h[i].k, g[i].x, g[i].y, g[i].k);
    printf("%d\n", (int)other.length());
}
