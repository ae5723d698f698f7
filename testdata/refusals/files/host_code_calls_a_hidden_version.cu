//@ layout = "P = soa"
// What both compilers take gets a version for device memory, and nvcc alone sees that.
#include "p.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n && isThere(p)) p[i].x += 1.0f;
}
void launch(P *p, int n) {
    step<<<1, 32>>>(p, n);
}
//- p.h
#pragma once
#include <cuda_runtime.h>
struct P {
    float x;
    int id;
};
__host__ __device__ inline bool isThere(const P *p) { return p != nullptr; }
void launch(P *p, int n);
//- main.cpp
#include "p.h"
int main() {
    P h[10] = {}, *d;
    if (!isThere(h)) return 1;
    cudaMalloc(&d, sizeof h);
    if (!isThere(d)) return 1; //~ LC0033 host code that is not compiled as CUDA calls a function that works on the new layout
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    launch(d, 10);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
}
