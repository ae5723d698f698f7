//@ layouts = ["P = soa"]
#include <array>
#include <cstdio>
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
    std::array<Device, 2> devices;
    cudaMalloc(&devices[0].particles, 20 * sizeof(P));
    step<<<1, 32>>>(devices[0].particles, 20);
    printf("%zu\n", sizeof(devices)); //~ LC0078 the size of the object that holds the array would change
    return 0;
}
