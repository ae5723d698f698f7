//@ layouts = ["Body = soa", "Body = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>
#include <vector>
struct Body {
    float x, y;
    int id;
};
template <typename T>
struct Buffer {
    Buffer() : ptr(nullptr) {}
    explicit Buffer(T *p) : ptr(p) {}
    ~Buffer()
    {
        if (ptr)
            cudaFree(ptr);
    }
    Buffer(Buffer &&o) noexcept : ptr(o.ptr) { o.ptr = nullptr; }
    Buffer &operator=(Buffer &&o) noexcept
    {
        std::swap(ptr, o.ptr);
        return *this;
    }
    void reset(T *p)
    {
        cudaFree(ptr);
        ptr = p;
    }
    T *release() { return std::exchange(ptr, nullptr); }
    T *get() const { return ptr; }
    T *ptr;
};
template <typename T>
Buffer<T> upload(const std::vector<T> &from)
{
    T *ptr = nullptr;
    cudaMalloc(&ptr, from.size() * sizeof(T));
    cudaMemcpy(ptr, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return Buffer<T>{ptr};
}
__global__ void step(Body *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i].x += b[i].y;
}
int main()
{
    const int n = 100;
    std::vector<Body> host(n);
    for (int i = 0; i < n; i++)
        host[i] = Body{1.0f * i, 2.0f, i};
    auto bodies = upload(host);
    Buffer<Body> other;
    other = std::move(bodies);
    step<<<1, 128>>>(other.get(), n);
    Body *taken = other.release();
    cudaMemcpy(host.data(), taken, n * sizeof(Body), cudaMemcpyDeviceToHost);
    other.reset(taken);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", host[i].x, host[i].id);
    return 0;
}
