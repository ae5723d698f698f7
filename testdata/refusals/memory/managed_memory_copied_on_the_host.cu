//@ layout = "P = soa"
#include <cstdio>
#include <cstring>
#include <algorithm>
#include <vector>
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main(int argc, char **argv) {
    int n = 100;
    P *p;
    cudaMallocManaged(&p, n * sizeof(P));
    std::vector<P> h(n);
    memcpy(p, h.data(), n * sizeof(P)); //~ LC0010 no definition of `memcpy` is found, and it may access the array
    step<<<1, 128>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
