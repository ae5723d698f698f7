//@ layout = "Body = soa"
#include "body.h"
__global__ void drift(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += clamp(p[i].mass);
}
int main() {
    Body *p;
    cudaMalloc(&p, 1000 * sizeof(Body));
    drift<<<8, 128>>>(p, 1000);
    cudaFree(p);
    return host(3.0f) > 1.0f;
}
//- body.h
#pragma once
#ifndef __host__
#define __host__
#define __device__
#define __forceinline__ inline
#endif
struct Body { float x, mass; };
__host__ __device__ __forceinline__ float clamp(float x) { return x < 1.0f ? x : 1.0f; }
float host(float x);
//- host.cpp
#include "body.h"
float host(float x) { return clamp(x); }
