//@ layouts = ["P = soa", "P = tiled(32)"]
// The holder changes, and `main.cpp` is compiled with it.
#include "run.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
static void launch(World w) {
    step<<<1, 32>>>(w.p, w.n);
}
void run(P *h, int n) {
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    World w;
    w.p = d;
    w.n = n;
    launch(w);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
}
//- run.h
#pragma once
struct P { float x, y; };
struct World { P *p; int n; };
void run(P *h, int n);
//- main.cpp
#include "run.h"
int main() {
    P h[8] = {};
    run(h, 8);
}
