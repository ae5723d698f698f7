//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <utility>
struct P { float x, y; };
__global__ void step(P *p, P *q, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += q[i].y;
}
int main() {
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    P *at = d;
    at += 8;
    P *before = std::exchange(at, d); //~ LC0079 this is not a plain pointer variable
    step<<<1, 64>>>(before, at, 32);
    cudaFree(d);
    return 0;
}
