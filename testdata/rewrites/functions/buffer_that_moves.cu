//@ layouts = ["Body = soa", "Body = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>
#include <vector>
struct Body {
    float x, y;
    float vx, vy;
    int id;
};
template <class T>
class Buffer {
    T *ptr_ = nullptr;
    std::size_t n_ = 0;

public:
    Buffer() = default;
    explicit Buffer(std::size_t n) : n_(n) { cudaMalloc(&ptr_, n * sizeof(T)); }
    ~Buffer() { cudaFree(ptr_); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    Buffer(Buffer &&o) noexcept : ptr_(std::exchange(o.ptr_, nullptr)), n_(std::exchange(o.n_, 0)) {}
    Buffer &operator=(Buffer &&o) noexcept
    {
        if (this != &o) {
            cudaFree(ptr_);
            ptr_ = std::exchange(o.ptr_, nullptr);
            n_ = o.n_;
        }
        return *this;
    }
    T *data() const { return ptr_; }
    std::size_t size() const { return n_; }
    void upload(const std::vector<T> &from)
    {
        cudaMemcpy(ptr_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    void copyFrom(const T *from, std::size_t n)
    {
        cudaMemcpy(ptr_, from, n * sizeof(T), cudaMemcpyHostToDevice);
    }
    void download(std::vector<T> &to) const
    {
        to.resize(n_);
        cudaMemcpy(to.data(), ptr_, n_ * sizeof(T), cudaMemcpyDeviceToHost);
    }
};
template <class T>
Buffer<T> make_buffer(std::size_t n)
{
    return Buffer<T>(n);
}
struct Scene {
    Buffer<Body> bodies;
    Buffer<float> weights;
};
__global__ void step(Body *b, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        b[i].x += b[i].vx * w[i];
        b[i].id++;
    }
}
int main()
{
    const int n = 100;
    std::vector<Body> host(n);
    std::vector<float> weights(n);
    for (int i = 0; i < n; i++) {
        host[i] = Body{1.0f * i, 2.0f, 3.0f, 4.0f, i};
        weights[i] = i % 3;
    }
    Scene scene;
    scene.bodies = Buffer<Body>(n);
    auto made = make_buffer<float>(n);
    scene.weights = std::move(made);
    Buffer<Body> first = make_buffer<Body>(n);
    Buffer<Body> second(std::move(first));
    auto third = make_buffer<Body>(n);
    scene.bodies.upload(host);
    scene.weights.upload(weights);
    second.copyFrom(host.data(), second.size());
    third = std::move(second);
    step<<<1, 128>>>(scene.bodies.data(), scene.weights.data(), n);
    step<<<1, 128>>>(third.data(), scene.weights.data(), n);
    scene.bodies.download(host);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", host[i].x, host[i].id);
    third.download(host);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", host[i].x, host[i].id);
    return 0;
}
