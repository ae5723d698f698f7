// Each file says what `real` is before it includes the header.
#include <cstdio>
typedef float real;
#include "particle.h"
void other(int n);
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
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
//- particle.h
struct P { real x, y; }; //~ LC0036 this text has two meanings and mentions `P`
//- other.cu
typedef double real;
#include "particle.h"
static __global__ void step2(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].y += 1;
}
void other(int n) {
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step2<<<1, 32>>>(d, n);
    cudaFree(d);
}
