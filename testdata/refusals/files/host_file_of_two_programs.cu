//@ layout = "P = soa"
// The conversions would have to be linked to both.
#include "p.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1.0f;
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
void launch(P *p, int n);
//- one.cpp
#include "p.h"
int main() {
    P h[10] = {}, *d; //~ LC0033 this file is not compiled as CUDA, and it cannot be seen with which `main` it is linked
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    launch(d, 10);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
}
//- two.cpp
int main() {}
