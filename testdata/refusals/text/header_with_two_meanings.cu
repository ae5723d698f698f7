#include <cstdio>
struct P { float x, y; int id; };
#include "step.cuh"
void other(int n);
int main() {
    P h[8] = {};
    P *d;
    cudaMalloc(&d, 8 * sizeof(P));
    cudaMemcpy(d, h, 8 * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d, 8);
    cudaMemcpy(h, d, 8 * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].x);
    other(8);
}
//- step.cuh
__global__ void step(P *p, int n) { //~ LC0036 this text has two meanings and mentions `P`
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
//- other.cu
namespace b {
struct P { double x; int k; };
#include "step.cuh"
}
void other(int n) {
    b::P h[8] = {};
    b::P *d;
    cudaMalloc(&d, 8 * sizeof(b::P));
    cudaMemcpy(d, h, 8 * sizeof(b::P), cudaMemcpyHostToDevice);
    b::step<<<1, 32>>>(d, n); //~ LC0010 no definition of `step` is found, and it may access the array
    cudaMemcpy(h, d, 8 * sizeof(b::P), cudaMemcpyDeviceToHost);
}
