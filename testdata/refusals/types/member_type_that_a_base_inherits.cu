//@ layout = "* = soa"
#include <cstdio>
#include "particle.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += p[i].k;
}
int main() {
    P h[64];
    for (int i = 0; i < 64; i++) { h[i].x = i; h[i].k = 2; }
    P *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d, 64);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)h[5].x);
    cudaFree(d);
    return 0;
}
//- particle.h
#pragma once
#ifdef WIDE
struct Numbers { typedef double real; };
#else
struct Numbers { typedef float real; };
#endif
struct Base : Numbers {};
struct P : Base { real x; int k; }; //~ LC0036 this text has two meanings and mentions `P` //~ LC0027 the type of this member is not known
//- wide.cpp
#define WIDE
#include "particle.h"
