// Elements in the new layout are read by functions that nvcc compiles.
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
//- main.cpp
#include "p.h"
int main() {
    P *p;
    cudaMallocManaged(&p, 10 * sizeof(P));
    P first = {1.0f, 2};
    p[0] = first; //~ LC0033 this file is not compiled as CUDA, and here elements would be accessed in the new layout
    launch(p, 10);
    cudaDeviceSynchronize();
    return p[0].id;
}
