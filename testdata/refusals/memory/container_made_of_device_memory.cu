//@ layouts = ["P = soa", "P = tiled(32)"]
#include <vector>

struct P {
    float x, y;
};

__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}

int main() {
    P *d;
    cudaMallocManaged(&d, 20 * sizeof(P));
    step<<<1, 32>>>(d, 20);
    cudaDeviceSynchronize();
    std::vector<P> copies;
    copies = std::vector<P>(d, d + 20); //~ LC0079 a pointer is put into an object that is not followed
    return copies[3].x > 0;
}
