//@ layout = "P = soa"
#include <cstdio>
#include <cuda_runtime.h>
struct P { float a, b; int k; __device__ void g() { auto l = [this](float x) { a += x; return a; }; b = l(2); } };
__global__ void k(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { p[i].g(); } } //~ LC0027 `g` may change the element and cannot be given a version: it holds a lambda that captures the object

int main() {
    const int n = 70;
    static P h[n];
    for (int i = 0; i < n; i++) { h[i].a = 0.5f * i; h[i].b = 3.0f - i % 7; h[i].k = (i * 13) % 29; }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    k<<<3, 32>>>(d, n);
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; i++) s += h[i].a * (i + 1) + h[i].b * (i % 5) + h[i].k * 0.25;
    printf("%.4f\n", s);
    cudaFree(d);
    return 0;
}
