//@ layouts = ["P = soa", "P = tiled(32)"]
// Comments and line splices in declarations that are divided.
#include <cstdio>
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].id;
}
int main() {
    const int n = 77;
    P // both
        *h = new P[n],
        *d = nullptr;
    static /* once */ P \
        *e, *g = h; /* behind */
    for (int i = 0; i < n; i++) h[i] = {0.5f * i, i};
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&e, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<3, 32>>>(d, n);
    cudaMemcpy(e, d, n * sizeof(P), cudaMemcpyDeviceToDevice);
    step<<<3, 32>>>(e, n);
    cudaMemcpy(g, e, n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x + i * h[i].id;
    printf("%g\n", sum);
    cudaFree(d);
    cudaFree(e);
    delete[] h;
    return 0;
}
