//@ layouts = ["P = soa"]
#include <array>
#include <vector>

struct P {
    float x;
    int id;
};

struct Device {
    P *particles;
    int first, count;
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

int main() {
    std::vector<Device> devices;
    devices.push_back({nullptr, 0, 5});
    std::array<Device, 2> more = {nullptr, 0, 6, nullptr, 0, 7}; //~ LC0082 the object holds the array, and this list does not say which member each item fills
    cudaMalloc(&devices[0].particles, 20 * sizeof(P));
    cudaMalloc(&more[0].particles, 20 * sizeof(P));
    step<<<1, 32>>>(devices[0].particles, devices[0].count);
    return more[1].count;
}
