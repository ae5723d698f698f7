//@ layouts = ["P = soa"]
#include <cstring>
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
    std::vector<Device> devices(2), copies(2);
    for (Device &device : devices)
        cudaMalloc(&device.particles, 20 * sizeof(P));
    memcpy(copies.data(), devices.data(), 32); //~ LC0010 the object holds the array, and it is passed to an unknown function, or copied with a byte count that is not its `sizeof`
    step<<<1, 32>>>(copies[1].particles, 20);
    return 0;
}
