//@ layout = "Body = soa"
// They know nothing of the struct though they come behind it.
#include <cstdio>
#include "body.h"
#include <alloca.h>
#include <cpuid.h>
#include <ftw.h>
#include <sys/ioctl.h>
__global__ void drift(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].mass;
}
int main() {
    Body *p;
    cudaMalloc(&p, 1000 * sizeof(Body));
    drift<<<8, 128>>>(p, 1000);
    cudaFree(p);
}
//- body.h
#pragma once
struct Body { float x, mass; };
