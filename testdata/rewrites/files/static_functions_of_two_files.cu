//@ layouts = ["P = soa", "P = tiled(32)"]
// Two kernels of one name, one with an index beside its pointer: each file has its own.
#include "p.h"
#include <cstdio>
static __global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
int main() {
    const int n = 100;
    P *h = new P[n]();
    P *d = start(n);
    step<<<1, 128>>>(d, n);
    advance(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x * i + h[i].y + h[i].id;
    printf("%g\n", sum);
    cudaFree(d);
    delete[] h;
}
//- p.h
#ifndef P_H
#define P_H
#include <cuda_runtime.h>
struct P {
    float x, y;
    int id;
};
P *start(int n);
void advance(P *p, int n);
#endif
//- other.cu
#include "p.h"
static __global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) {
        p[i].y += p[i].x;
        p[i].id += i;
    }
}
P *start(int n) {
    P *p;
    cudaMalloc(&p, n * sizeof(P));
    cudaMemset(p, 0, n * sizeof(P));
    return p;
}
void advance(P *p, int n) {
    step<<<1, 128>>>(p, n);
    step<<<1, 128>>>(p + 10, n - 10);
}
