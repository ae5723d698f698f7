//@ layouts = ["P = tiled(32)"]
// What the other file does with the device is not known: each copy has memory of its own.
#include <cstdio>
struct P {
    float x;
    int id;
};
void between(int round);
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
    for (int round = 0; round < 3; round++) {
        cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
        step<<<4, 32>>>(d, 100);
        cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
        between(round);
    }
    cudaFree(d);
    printf("%f %d\n", h[7].x, h[99].id);
    return 0;
}
