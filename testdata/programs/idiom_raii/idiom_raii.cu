// A buffer class that owns device memory, a handle by value, an array of device pointers.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
struct Body { float x, y; int id; };
class DeviceBodies {
public:
    explicit DeviceBodies(int n) : data_(nullptr), n_(n) { cudaMalloc(&data_, n * sizeof(Body)); }
    DeviceBodies(const DeviceBodies &) = delete;
    DeviceBodies &operator=(const DeviceBodies &) = delete;
    ~DeviceBodies() { if (data_) cudaFree(data_); }
    void upload(const std::vector<Body> &h) { cudaMemcpy(data_, h.data(), n_ * sizeof(Body), cudaMemcpyHostToDevice); }
    void download(std::vector<Body> &h) const { cudaMemcpy(h.data(), data_, n_ * sizeof(Body), cudaMemcpyDeviceToHost); }
    Body *get() { return data_; }
    const Body *get() const { return data_; }
    int size() const { return n_; }
private:
    Body *data_;
    int n_;
};
struct World { Body *b; const int *idx; int n; };
__device__ void push(Body &b, float s) { b.x += s; b.y -= s * b.id; }
__global__ void step(World w, float s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w.n) push(w.b[w.idx[i]], s);
}
__global__ void twice(Body *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i].x *= 2;
}
int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const int blocks = n / 64 + 1;
    std::vector<Body> h(n);
    std::vector<int> hi(n);
    for (int i = 0; i < n; i++) {
        h[i].x = i % 21;
        h[i].y = 1;
        h[i].id = i % 3;
        hi[i] = n - 1 - i;
    }
    DeviceBodies d(n);
    d.upload(h);
    int *idx;
    cudaMalloc(&idx, n * sizeof(int));
    cudaMemcpy(idx, hi.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    World w = {d.get(), idx, n};
    step<<<blocks, 64>>>(w, 0.5f);
    twice<<<blocks, 64>>>(d.get(), d.size());
    Body *parts[2];
    cudaStream_t streams[2];
    for (int k = 0; k < 2; k++) {
        cudaStreamCreate(&streams[k]);
        cudaMalloc((void **)&parts[k], n * sizeof(Body));
        cudaMemcpyAsync(parts[k], h.data(), n * sizeof(Body), cudaMemcpyHostToDevice, streams[k]);
        twice<<<blocks, 64, 0, streams[k]>>>(parts[k], n);
    }
    cudaDeviceSynchronize();
    std::vector<Body> g(n);
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        cudaMemcpy(g.data(), parts[k], n * sizeof(Body), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            sum += g[i].x * (k + 1);
        cudaFree(parts[k]);
        cudaStreamDestroy(streams[k]);
    }
    d.download(h);
    for (int i = 0; i < n; i++)
        sum += h[i].x * (i % 4 + 1) + h[i].y;
    printf("checksum %.4f\n", sum);
    cudaFree(idx);
    return 0;
}
