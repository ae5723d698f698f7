//@ layouts = ["Body = soa", "Body = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
struct Body {
    float x, y;
    int id;
};
template <typename T>
class Buffer {
public:
    explicit Buffer(T *p) : ptr(p) {}
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    Buffer(Buffer &&o) noexcept : ptr(o.ptr) { o.ptr = nullptr; }
    ~Buffer() { cudaFree(ptr); }
    T *data() const { return ptr; }

private:
    T *ptr;
};
template <typename T>
Buffer<T> upload(const std::vector<T> &from)
{
    T *ptr = nullptr;
    cudaMalloc(&ptr, from.size() * sizeof(T));
    cudaMemcpy(ptr, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return Buffer{ptr};
}
__global__ void step(Body *b, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i].x += b[i].y * w[i];
}
int main()
{
    const int n = 100;
    std::vector<Body> host(n);
    std::vector<float> weights(n, 2.0f);
    for (int i = 0; i < n; i++)
        host[i] = Body{1.0f * i, 2.0f, i};
    auto bodies = upload(host);
    Buffer<float> factors = upload(weights);
    Body *more;
    cudaMalloc(&more, n * sizeof(Body));
    cudaMemcpy(more, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    auto others = Buffer(more);
    step<<<1, 128>>>(bodies.data(), factors.data(), n);
    step<<<1, 128>>>(others.data(), factors.data(), n);
    cudaMemcpy(host.data(), others.data(), n * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", host[i].x, host[i].id);
    return 0;
}
