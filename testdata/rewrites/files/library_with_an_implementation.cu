//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
#include "picture.h"
#include "particle.h"
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = P{i * 0.5f, 3.0f - i, picture_size(i)};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g %g %d\n", h[i].x, h[i].y, h[i].type);
    cudaFree(d);
    delete[] h;
    return 0;
}
//- particle.h
#pragma once
#include <cstddef>
struct P {
    float x, y;
    int type;
    int kind() const { return picture_size(type); }
    int plus(int n, const int *scaled = nullptr) const { return type + n + (scaled ? *scaled : 0); }
    std::size_t bytes() const { return sizeof(P); }
};
//- picture.h
#include <cstddef>
#ifndef PICTURE_H
#define PICTURE_H
#define PICTURE_API extern
PICTURE_API int picture_size(int n);
#endif
#ifdef PICTURE_IMPLEMENTATION
typedef struct {
    int type;
    float *data;
} picture_t;
static int scaled(int n) {
    std::size_t most = 2;
#ifdef PICTURE_LARGE
    if (n > 1) {
#else
    if (n > int(most)) {
#endif
        return n * 2;
    }
    return n;
}
int picture_size(int n) { return scaled(n); }
#endif
//- picture.cpp
#define PICTURE_IMPLEMENTATION
#include "picture.h"
#include "particle.h"
