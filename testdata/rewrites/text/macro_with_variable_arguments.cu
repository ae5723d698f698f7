//@ layouts = ["P = soa", "P = tiled(32)"]
// Macros with any number of arguments that access members.
#include <cstdio>
struct P {
    float x;
    int id;
};
#define FIRST(q, ...) (q)[i].x += 1
#define ADD(e, ...) e = sum(e, __VA_ARGS__)
__device__ float sum(float a, float b) { return a + b; }
__device__ float sum(float a, float b, float c) { return a + b + c; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        FIRST(p, 1, 2);
        ADD(p[i].x, 0.5f);
        ADD(p[i].x, p[i].id, 1);
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    float all = 0;
    for (int i = 0; i < n; i++) all += i * h[i].x + h[i].id;
    printf("%g\n", all);
    cudaFree(d);
    delete[] h;
    return 0;
}
