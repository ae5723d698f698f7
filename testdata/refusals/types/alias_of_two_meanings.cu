// `item` is a Cell here, and a P in the other file.
#include <cstdio>
#include "types.h"
#include "item.h"
void other(item *d, int n);
__global__ void step(item *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
void run(int n);
int main() {
    Cell h[8] = {};
    Cell *d;
    cudaMalloc(&d, 8 * sizeof(Cell));
    cudaMemcpy(d, h, 8 * sizeof(Cell), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d, 8); //~ LC0020 parameter `p` of `step` is not a pointer to the element type
    cudaMemcpy(h, d, 8 * sizeof(Cell), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].x);
    run(8);
}
//- types.h
#pragma once
struct P { float x, y; };
struct Cell { float x; int k; };
//- item.h
#pragma once
#ifdef PARTICLES //~ LC0036 this text has two meanings and mentions `item`
typedef P item;
#else
typedef Cell item;
#endif
//- other.cu
#define PARTICLES
#include "types.h"
#include "item.h"
static __global__ void step2(item *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
void run(int n) {
    item *d;
    cudaMalloc(&d, n * sizeof(item));
    step2<<<1, 32>>>(d, n);
    cudaFree(d);
}
