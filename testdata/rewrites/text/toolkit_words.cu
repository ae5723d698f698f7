//@ layout = "Body = soa"
#include "body.h"
__device__ float limit = 2.0f;
__global__ void __launch_bounds__(128) drift(Body *p, int n) {
    __shared__ float tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = clamp(limit);
    if (i < n) p[i].x += p[i].mass * tile[threadIdx.x];
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
// Other compilers know none of these words; nvcc has them before the first line.
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#if !defined(__global__)
#define __global__
#endif
#ifndef __shared__
#define __shared__
#endif
#ifndef __forceinline__
#define __forceinline__ inline
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(n)
#endif
#ifndef __align__
#define __align__(n) alignas(n)
#endif
#ifndef __CUDA_RUNTIME_H__
#error "nvcc includes cuda_runtime.h"
struct Body { float all[6]; };
#else
struct __align__(8) Body { float x, y, mass, age, heat, light; };
#endif
__host__ __device__ __forceinline__ float clamp(float x) { return x < 1.0f ? x : 1.0f; }
float host(float x);
