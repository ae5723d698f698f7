//@ layouts = ["P = soa", "P = tiled(32)"]
// Another file includes the template and not the struct: the instance stands behind the struct, with the header of the template.
#include "p.h"
#include "sort.h"
#include <cstdio>
int main() {
    P *d, h[64];
    for (int i = 0; i < 64; i++) h[i] = {i * 0.5f, i};
    cudaMalloc(&d, 64 * sizeof(P));
    cudaMemcpy(d, h, 64 * sizeof(P), cudaMemcpyHostToDevice);
    turn<<<1, 64>>>(d, 64);
    cudaMemcpy(h, d, 64 * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i += 7) printf("%g %d\n", h[i].x, h[i].id);
    cudaFree(d);
    return 0;
}
//- p.h
#pragma once
struct P {
    float x;
    int id;
};
//- sort.h
#pragma once
__device__ inline int next(int i) { return i ^ 1; }
template <class T>
__global__ void turn(T *items, int n) {
    int i = threadIdx.x;
    if (i < n)
        items[i].id = next(i);
}
//- numbers.cu
#include "sort.h"
__global__ void other(int *p) { p[0] = next(p[1]); }
