//@ layout = "P = soa"
#include "p.h"
#include "sort.h"
int main() {
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    turn<<<1, 64>>>(d, 64);
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
__global__ void turn(T *items, int n) { //~ LC0083 this template comes before the struct in one file and not in another, so that an instance has no place
    int i = threadIdx.x;
    if (i < n)
        items[i].id = next(i);
}
//- numbers.cu
#include "sort.h"
__global__ void other(int *p) { p[0] = next(p[1]); }
