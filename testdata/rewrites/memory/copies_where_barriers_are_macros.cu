//@ layouts = ["P = tiled(32)"]
// An editor's stand-in for a barrier: conversions do without shared memory.
#include <cstdio>
#ifdef __INTELLISENSE__
#define __syncthreads()
#endif
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
int main() {
    P h[100];
    for (int i = 0; i < 100; i++) {
        h[i].x = 0.5f * i;
        h[i].id = i;
    }
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    step<<<4, 32>>>(d, 100);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%f %d\n", h[7].x, h[99].id);
    return 0;
}
