// `first` is a function here, and a macro in the other file.
#include <cstdio>
#include "particle.h"
__device__ float first(P *p) { return p[0].x; }
#include "step.cuh"
void other(P *d, int n);
int main() {
    P h[8] = {};
    P *d;
    cudaMalloc(&d, 8 * sizeof(P));
    cudaMemcpy(d, h, 8 * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d, 8); //~ LC0010 no definition of `step` is found, and it may access the array
    other(d, 8);
    cudaMemcpy(h, d, 8 * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].x);
}
//- particle.h
#pragma once
struct P { float x, y; };
//- step.cuh
static __global__ void step(P *p, int n) { //~ LC0036 this text has two meanings and mentions `P`
    int i = threadIdx.x;
    if (i < n) p[i].y += first(p);
}
//- other.cu
#include "particle.h"
#define first(p) (((float *)p)[1])
#include "step.cuh"
void other(P *d, int n) {
    step<<<1, 32>>>(d, n); //~ LC0010 no definition of `step` is found, and it may access the array
}
