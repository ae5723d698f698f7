//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
#include "kernels.cuh"
void again(P *p, int n);
int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = P{i * 0.5f, 3.0f - i};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    add<<<1, 128>>>(d, n);
    again(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g %g\n", h[i].x, h[i].y);
    cudaFree(d);
    delete[] h;
    return 0;
}
//- kernels.cuh
#pragma once
struct P { float x, y; };
template <typename T> __global__ void add(T *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
//- again.cu
#include "kernels.cuh"
void again(P *p, int n) { add<<<1, 128>>>(p, n); }
//- third.cu
#include "kernels.cuh"
int third(const P &p) { return p.x > 0; }
