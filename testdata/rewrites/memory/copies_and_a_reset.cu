//@ layouts = ["P = soa", "P = tiled(32)"]
// The device is reset between two copies: no memory of the first one may be kept for the second.
#include <cstdio>
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
void run(P *h, int n) {
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<4, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
int main() {
    P h[100];
    for (int i = 0; i < 100; i++) {
        h[i].x = 0.5f * i;
        h[i].id = i;
    }
    run(h, 100);
    cudaDeviceReset();
    run(h, 100);
    printf("%f %d\n", h[7].x, h[99].id);
    return 0;
}
