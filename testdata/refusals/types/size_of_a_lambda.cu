//@ layouts = ["P = soa"]
#include <cstdio>

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
    P *d;
    cudaMalloc(&d, 20 * sizeof(P));
    auto run = [d](int n) { step<<<1, 32>>>(d, n); };
    run(20);
    printf("%zu\n", sizeof(run)); //~ LC0078 the size of a lambda that captures the array would change
    return 0;
}
