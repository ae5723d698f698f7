//@ layouts = ["P = soa", "P = tiled(32)"]
// An owner with a stream beside the array, a conversion to `bool`, null pointers, assignments for lasting objects, and a
// function that deduces its type.
#include <cstddef>
#include <cstdio>
#include <utility>
struct P {
    float x, y;
    int id;
};
namespace gpu {
template <typename T> class Buffer {
    T *ptr_ = nullptr;
    std::size_t size_ = 0;
    cudaStream_t stream_ = nullptr;

public:
    Buffer() = default;
    Buffer(T *ptr) : ptr_{ptr} {}
    Buffer(std::nullptr_t) {}
    explicit Buffer(std::size_t size) : size_(size) { cudaMalloc(&ptr_, size * sizeof(T)); }
    ~Buffer() { cudaFree(ptr_); }
    Buffer(const Buffer &) = delete;
    auto operator=(const Buffer &) & -> Buffer & = delete;
    Buffer(Buffer &&other) noexcept
        : ptr_(std::exchange(other.ptr_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    auto operator=(Buffer &&other) & noexcept -> Buffer & {
        std::swap(ptr_, other.ptr_);
        std::swap(size_, other.size_);
        return *this;
    }
    explicit operator bool() const { return ptr_ != nullptr; }
    [[nodiscard]] auto data() -> T * { return ptr_; }
    [[nodiscard]] auto data() const -> const T * { return ptr_; }
    void load(const T *from, std::size_t size) {
        cudaMemcpyAsync(ptr_, from, size * sizeof(T), cudaMemcpyHostToDevice, stream_);
    }
};
template <typename T> [[nodiscard]] auto make_buffer(std::size_t size) -> Buffer<T> {
    T *ptr = nullptr;
    cudaMalloc(reinterpret_cast<void **>(&ptr), size * sizeof(T));
    return Buffer{ptr};
}
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}
int main() {
    const int n = 70;
    static P h[n];
    for (int i = 0; i < n; i++)
        h[i] = P{float(i % 5), 1.0f + i, i * 7 % 11};
    auto made = gpu::make_buffer<P>(n);
    gpu::Buffer<P> moved;
    moved = std::move(made);
    gpu::Buffer<P> two[2] = {gpu::Buffer<P>(std::size_t(n)), gpu::make_buffer<P>(n)};
    if (moved && !made) {
        moved.load(h, n);
        step<<<3, 32>>>(moved.data(), n);
        cudaMemcpy(h, moved.data(), sizeof h, cudaMemcpyDeviceToHost);
    }
    for (int k = 0; k < 2; k++) {
        two[k].load(h, n);
        step<<<3, 32>>>(two[k].data(), n);
        cudaMemcpy(h, two[k].data(), sizeof h, cudaMemcpyDeviceToHost);
    }
    double s = 0;
    for (int i = 0; i < n; i++)
        s += h[i].x * (i + 1) + h[i].id;
    printf("%.4f\n", s);
    return 0;
}
