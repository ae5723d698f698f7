// What `real` is depends on who includes the configuration.
#include <cstdio>
#include "real.h"
#include "particle.h"
void other(P *d, int n);
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
int main() {
    P h[8] = {};
    P *d;
    cudaMalloc(&d, 8 * sizeof(P));
    cudaMemcpy(d, h, 8 * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d, 8);
    other(d, 8);
    cudaMemcpy(h, d, 8 * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].x);
}
//- real.h
#pragma once
#ifdef DOUBLE
typedef double real;
#else
typedef float real;
#endif
//- particle.h
#pragma once
struct P { real x, y; }; //~ LC0027 the type of this member is not known //~ LC0036 this text has two meanings and mentions `P`
//- other.cu
#define DOUBLE
#include "real.h"
#include "particle.h"
void other(P *d, int n) {
    cudaMemset(d, 0, n * sizeof(P));
}
