// The header may call `step` with arrays of its own.
#include <cstdio>
struct P { float x, y; };
__global__ void step(P *p, int n);
#include <solver/steps.hpp> //~ LC0004 `solver/steps.hpp` cannot be found and may use `P`
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
}
