//@ layouts = ["P = tiled(32)", "P = soa"]
// A header declares functions of the same names for other types, which another file defines.
#include "common.h"
#include <cstdio>
struct P { float x; int alive; };
__global__ void flags(int n, int *out, const P *in) { int i = threadIdx.x; if (i < n) out[i] = in[i].alive > 0; }
__global__ void fill(int n, P *p) { int i = threadIdx.x; if (i < n) { p[i].x = i; p[i].alive = i % 3; } }
int main() {
    P *p;
    int *d, h[64], all = 0;
    cudaMalloc(&p, 64 * sizeof(P));
    cudaMalloc(&d, 64 * sizeof(int));
    fill<<<1, 64>>>(64, p);
    flags<<<1, 64>>>(64, d, p);
    common::flags<<<1, 64>>>(64, d, d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) all += h[i];
    printf("%d\n", all);
    cudaFree(p); cudaFree(d);
    return 0;
}
//- common.h
#pragma once
namespace common {
__global__ void flags(int n, int *out, const int *in);
}
//- common.cu
#include "common.h"
namespace common {
__global__ void flags(int n, int *out, const int *in) { int i = threadIdx.x; if (i < n) out[i] = in[i] * 2; }
}
