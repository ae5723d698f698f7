//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(8)"]
#include "p.h"
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
void run(P *h, int n) {
    P *d;
    allocate(&d, n);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
}
//- host.cpp
#include "p.h"
#include <cuda_runtime.h>
void allocate(P **p, int n) {
    cudaMalloc(p, n * sizeof(P));
}
int main() {
    P h[10];
    run(h, 10);
    return 0;
}
//- p.h
struct P {
    float x;
    int id;
};
void allocate(P **p, int n);
void run(P *h, int n);
