//@ layouts = ["P = soa", "P = tiled(32)"]
// A handle in front of the struct is defined where the struct is declared.
#include <cstdio>
struct P;
__global__ void step(P *p, int n);
void launch(P *p, int n) {
    step<<<1, 128>>>(p, n);
}
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    launch(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%g\n", h[99].x);
    return 0;
}
