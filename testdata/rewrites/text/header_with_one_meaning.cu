//@ layouts = ["P = soa"]
// The macros that the header uses come from two places and say the same; what the header has for
// CUDA only is no second meaning.
#include <cstdio>
#define SIZE 8
#include "step.cuh"
void other(P *d, int n);
int count(int n);
int main() {
    P h[SIZE] = {};
    P *d;
    cudaMalloc(&d, SIZE * sizeof(P));
    cudaMemcpy(d, h, SIZE * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d, SIZE);
    other(d, count(SIZE));
    cudaMemcpy(h, d, SIZE * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].x);
}
//- step.cuh
#pragma once
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
struct P { float x, y; };
HD inline int clamp(int i) { return i < SIZE ? i : SIZE - 1; }
#ifdef __CUDACC__
static __global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += p[clamp(i + 1)].y;
}
#endif
//- other.cu
#define SIZE 8
#include "step.cuh"
void other(P *d, int n) {
    step<<<1, 32>>>(d, n);
}
//- count.cpp
#define SIZE 8
#include "step.cuh"
int count(int n) { return clamp(n); }
