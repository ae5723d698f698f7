//@ layouts = ["P = tiled(8)", "P = soa"]
// The host file moves within the array, clears it and copies parts of it.
#include "p.h"
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
void launch(P *p, int n) {
    step<<<1, 64>>>(p, n);
}
//- p.h
#ifndef P_H
#define P_H
struct P {
    float x, y;
    int id;
};
void launch(P *p, int n);
#endif
//- host.cpp
#include <cuda_runtime_api.h>
#include "p.h"

#include <cstdio>
#include <vector>
static P *d_p;
static void fill(std::vector<P> &h, cudaStream_t stream) {
    cudaMemsetAsync(d_p, 0, h.size() * sizeof(P), stream);
    cudaMemcpyAsync(d_p + 10, h.data() + 10, 20 * sizeof(P), cudaMemcpyHostToDevice, stream);
}
int main() {
    std::vector<P> h(50);
    for (int i = 0; i < 50; i++) h[i] = {float(i), 2.0f, i};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&d_p, 50 * sizeof(P));
    fill(h, stream);
    P *part = d_p + 5;
    launch(part, 30);
    cudaMemcpyAsync(h.data(), d_p, 50 * sizeof(P), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    float sum = 0;
    for (const P &p : h) sum += p.x * p.id;
    std::printf("%g\n", sum);
    cudaFree(d_p);
}
