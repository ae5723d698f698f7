//@ layouts = ["P = soa", "P = tiled(32)"]
// A specialisation has the members that the program uses, as the instance that the template makes has: the others may not
// even compile for this element, or give back pointers behind its first one.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
struct P {
    float x, y;
    int id;
};
template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(const std::vector<T> &host) : DeviceArray(host.size()) { upload(host); }
    explicit DeviceArray(size_t n) : size_(n) { cudaMalloc(&data_, n * sizeof(T)); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray &) = delete;

    // Copies all elements from the host.
    void upload(const std::vector<T> &host) {
        cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }

    /** The first element,
     *  and the one behind the last. */
    T *begin() { return data_; }
    T *end() { return data_ + size_; }
    const T *cbegin() const { return data_; } // constant

    // The sum of numbers.
    T sum(const std::vector<T> &host) const {
        T sum = 0;
        for (size_t i = 0; i < host.size(); i++)
            sum += host[i];
        return sum;
    }
    void fill(const T &value) { std::vector<T> host(size_, value); upload(host); }
    void download(std::vector<T> &host) const {
        host.resize(size_);
        cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    }
    T *get() const { return data_; }
    size_t size() const { return size_; }

private:
    T *data_ = nullptr;
    size_t size_;
};
// Nothing stands between the brace and the first member.
template <typename T>
struct Tail {T *end() { return data + size; } T *data;
    int size;
    __host__ __device__ int last() const { return size - 1; }
};
__global__ void read(Tail<P> tail, float *x) { *x += tail.data[tail.Tail<P>::last()].x; }
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}
int main() {
    std::vector<P> host(40);
    for (int i = 0; i < 40; i++)
        host[i] = {float(i), 2, i};
    std::sort(host.begin(), host.end(), [](const P &a, const P &b) { return a.id > b.id; });
    DeviceArray<P> device(host);
    DeviceArray<float> other(40);
    float total = other.sum({1, 2, 3});
    step<<<1, 64>>>(device.get(), static_cast<int>(device.size()));
    device.download(host);
    float *x;
    cudaMalloc(&x, sizeof(float));
    cudaMemcpy(x, &total, sizeof(float), cudaMemcpyHostToDevice);
    Tail<P> tail = {device.get(), static_cast<int>(device.DeviceArray<P>::size())};
    read<<<1, 1>>>(tail, x);
    cudaMemcpy(&total, x, sizeof(float), cudaMemcpyDeviceToHost);
    for (const P &own : host)
        total += own.x;
    printf("%g %g\n", host[3].x, total);
}
