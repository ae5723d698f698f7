//@ layout = "P = soa"
// What the macro would call is not declared where the host file uses it.
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
#define NEW_ARRAY(p, n) cudaMalloc((void **)&p, sizeof(P) * (n)) //~ LC0033 a file that is not compiled as CUDA uses this macro, and what it would call is not declared there
void launch(P *p, int n);
//- main.cpp
#include "p.h"
int main() {
    P h[10] = {}, *d;
    NEW_ARRAY(d, 10);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    launch(d, 10);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
}
