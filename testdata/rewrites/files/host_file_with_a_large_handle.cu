//@ layout = "P = soa"
// More pointers than nvcc assigns at once: other compilers take the struct without the assignment.
#include "run.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].a += p[i].b * p[i].extra[2];
}
void run(P *&d, int n) {
    step<<<1, 32>>>(d, n);
}
//- run.h
#pragma once
struct P {
    float a, b, c, d, e, f, g, h, i, j, k, l, m, n;
    int extra[4];
};
void run(P *&d, int n);
//- main.cpp
#include <cuda_runtime.h>
#include "run.h"
int main() {
    P h[8] = {};
    P *d, *other;
    cudaMalloc(&d, 8 * sizeof(P));
    cudaMemcpy(d, h, 8 * sizeof(P), cudaMemcpyHostToDevice);
    other = d;
    run(other, 8);
    cudaMemcpy(h, other, 8 * sizeof(P), cudaMemcpyDeviceToHost);
    return 0;
}
