//@ layout = "P = soa"
// A compiler of C takes no overloads and no default arguments.
#include "p.h"
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1.0f;
}
extern "C" void launch(P *p, int n) {
    step<<<1, 32>>>(p, n);
}
//- p.h
typedef struct P {
    float x;
    int id;
} P;
#ifdef __cplusplus
extern "C"
#endif
void launch(P *p, int n);
//- main.c
#include <cuda_runtime.h>
#include "p.h"
int main() {
    P h[10] = {};
    P *d; //~ LC0033 this file is not compiled as CUDA, and a file in C includes the struct, too
    cudaMalloc((void **)&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    launch(d, 10);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    return 0;
}
