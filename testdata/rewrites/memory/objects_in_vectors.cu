//@ layouts = ["P = tiled(32)", "P = soa"]
#include <vector>

struct P {
    float x;
    int id;
};

struct Device {
    P *particles;
    cudaStream_t stream;
    int count;
};

struct Buffer {
    P *d;
    int n;
    explicit Buffer(int n) : d(nullptr), n(n) { cudaMalloc(&d, n * sizeof(P)); }
    Buffer(P *d, int n) : d(d), n(n) {}
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

int main() {
    std::vector<Device> devices(2);
    for (size_t k = 0; k < devices.size(); k++) {
        devices[k].count = 20 + k;
        cudaStreamCreate(&devices[k].stream);
        cudaMalloc(&devices[k].particles, devices[k].count * sizeof(P));
    }
    for (Device &device : devices)
        step<<<1, 32, 0, device.stream>>>(device.particles, device.count);
    for (const auto &device : devices)
        cudaFree(device.particles);

    P *raw;
    cudaMalloc(&raw, 10 * sizeof(P));
    std::vector<Buffer> buffers;
    buffers.reserve(3);
    buffers.emplace_back(30);
    buffers.emplace_back(raw, 10);
    buffers.push_back(Buffer(20));
    step<<<1, 32>>>(buffers.front().d, buffers.at(0).n);
    for (auto &buffer : buffers)
        cudaFree(buffer.d);
    return 0;
}
