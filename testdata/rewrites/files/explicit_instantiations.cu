//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
#include "memory.cuh"
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = P{i * 0.5f, 3.0f - i};
    P *d = on_device<P>(h, n);
    float *sums = on_device<float>(&h[0].x, 1);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g %g\n", h[i].x, h[i].y);
    cudaFree(d);
    cudaFree(sums);
    delete[] h;
    return 0;
}
//- memory.cuh
#pragma once
struct P { float x, y; };
template <typename T> T *on_device(T *host, int count);
//- memory.cu
#include "memory.cuh"
template <typename T> T *on_device(T *host, int count) {
    T *device;
    cudaMalloc(&device, count * sizeof(T));
    cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}
template float *on_device<float>(float *host, int count);
template P *on_device<P>(P *host, int count);
