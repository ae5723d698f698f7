//@ layouts = ["P = tiled(32)", "P = soa"]
// No option of a compiler changes what these switches say.
#include <cstdio>
#include <cuda_runtime.h>
#include "config.h"
#define SORT 1
#define CACHE false
#define MODE (2 + 1)
struct P { float x, y; int z; };
__global__ void k(P *p, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i<n) p[i].x += p[i].y; }
static P *d;
int main() {
  int n = 1000; P *h = new P[n]; for (int i=0;i<n;i++) h[i] = P{float(i),1.f,2};
  cudaMalloc(&d, n*sizeof(P));
  cudaMemcpy(d, h, n*sizeof(P), cudaMemcpyHostToDevice);
#if SORT
  k<<<(n+127)/128,128>>>(d, n);
#else
  k<<<(n+127)/128,128>>>(d, n - 1);
#endif
#if !SORT && MODE > 1
  cudaMemcpy(d + 1, h, sizeof(P), cudaMemcpyHostToDevice);
#endif
#if CACHE
  cudaMemset(d, 0, 12);
  #ifdef OTHER
  k<<<1, 1>>>(d, 1);
  #endif
#endif
#if 0
  k<<<1, 1>>>(d, 2);
#endif
#ifndef FROM_CONFIG // a comment
  k<<<1, 1>>>(d, 3);
#endif
  cudaMemcpy(h, d, n*sizeof(P), cudaMemcpyDeviceToHost);
  printf("%f\n", h[3].x);
}
//- config.h
#ifndef CONFIG_H
#define CONFIG_H
#define FROM_CONFIG
#endif
