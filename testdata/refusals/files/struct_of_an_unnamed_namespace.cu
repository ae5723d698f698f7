//@ layout = "P = soa"
// The functions of its arrays could not be called from another file.
#include "p.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1.0f;
}
void launch(void *p, int n) {
    step<<<1, 32>>>((P *)p, n);
}
//- p.h
#pragma once
#include <cuda_runtime.h>
namespace {
struct P {
    float x;
    int id;
};
}
void launch(void *p, int n);
//- main.cpp
#include "p.h"
int main() {
    P h[10] = {}, *d; //~ LC0033 this file is not compiled as CUDA, and the struct's functions could not be called from another file
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    launch(d, 10);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
}
