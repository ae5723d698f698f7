//@ layouts = ["P = soa", "P = tiled(32)"]
// `main.cpp` is compiled with the prototype and does not call the function.
#include "run.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
void launch(P *d, int n) {
    step<<<1, 32>>>(d, n);
}
void run(P *h, int n) {
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    launch(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
}
//- run.h
#pragma once
struct P { float x, y; };
void launch(P *d, int n);
void run(P *h, int n);
//- main.cpp
#include "run.h"
int main() {
    P h[8] = {};
    run(h, 8);
}
