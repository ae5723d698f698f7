//@ layout = "P = soa"
#include <cstdio>
#include <cuda_runtime.h>
struct P { float a, b; int k; };
extern "C" { __device__ void wr3(P *x, float v) { x->a += v * 2; } }
__global__ void k(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { P l; l.a = 1; wr3(&l, 4); wr3(p + i, 2); p[i].b += l.a; } } //~ LC0030 code that uses the array also gets `l`, which is not an element of it

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
