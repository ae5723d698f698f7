//@ layouts = ["P = tiled(32)", "P = soa"]
#include <vector>

struct P {
    float x;
    int id;
};

struct Device {
    P *particles;
    int count;
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

int main() {
    std::vector<Device> devices(2);
    cudaMalloc(&devices[0].particles, 20 * sizeof(P));
    step<<<1, 32>>>(devices[0].particles, 20);
    for (auto it = devices.begin(); it != devices.end(); ++it)
        cudaFree(it->particles); //~ LC0082 `particles` may be the member that holds the array
    return 0;
}
