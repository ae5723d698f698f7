//@ layout = "P = soa"
#include <cstdio>
struct P;
__device__ int rate(int) { return 1; }
template <class T> __device__ void bump(T *p, int i) { p[i].a += rate(2); } //~ LC0083 `rate`, which this template may use, is defined or specialised behind it
__device__ int rate(long) { return 2; }
struct P { int a, b, c; };
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bump(p, i);
}
int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    cudaFree(d);
    delete[] h;
    return 0;
}
