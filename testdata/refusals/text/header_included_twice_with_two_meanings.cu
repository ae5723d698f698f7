#include <cstdio>
struct P { float x, y; };
#define NAME add
#define FIELD(p, i) (p)[i].x
#include "kernel.inc"
#undef NAME
#undef FIELD
#define NAME mul
#define FIELD(p, i) ((float *)(p))[i]
#include "kernel.inc"
int main() {
    P h[8] = {};
    P *d;
    cudaMalloc(&d, 8 * sizeof(P));
    cudaMemcpy(d, h, 8 * sizeof(P), cudaMemcpyHostToDevice);
    add<<<1, 32>>>(d, 8); //~ LC0010 no definition of `add` is found, and it may access the array
    mul<<<1, 32>>>(d, 8); //~ LC0010 no definition of `mul` is found, and it may access the array
    cudaMemcpy(h, d, 8 * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].x);
}
//- kernel.inc
__global__ void NAME(P *p, int n) { //~ LC0036 this text has two meanings and mentions `P`
    int i = threadIdx.x;
    if (i < n) FIELD(p, i) += 1;
}
