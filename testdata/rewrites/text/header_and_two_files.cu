//@ layouts = ["P = tiled(32)", "P = soa"]
#include "p.h"
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    P h[10] = {};
    P *d = upload(h, 10);
    step<<<1, 128>>>(d, 10);
    cudaFree(d);
}
//- upload.cu
#include "p.h"
P *upload(const P *h, int n) {
    P *d = nullptr;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    return d;
}
//- p.h
#pragma once
struct P {
    float x;
    int id;
};
P *upload(const P *h, int n);
