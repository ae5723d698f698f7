// The header may define `SORTED`.
#include <solver/config.hpp>
#include <cstdio>
struct P { float x, y; };
#ifdef SORTED //~ LC0077 this construct is not modelled and mentions `P`
void sort(P *p, int n) { qsort(p, n, sizeof(P), compare); }
#endif
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
