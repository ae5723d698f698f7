//@ layout = "P = soa"
#include <cstdio>
#include <cstdlib>
struct P { int a, b, c; };
__device__ int get(void *p, long i) { return -(int)i; }
__device__ int get(P *p, int i) { return p[i].b * 1000; }
__global__ void step(void *p, int n) { int i = threadIdx.x; if (i < n) ((P *)p)[i].c = get(p, i); } //~ LC0034 it is not clear which function this argument reaches
int main() {
    int n = 100;
    P *h = (P *)malloc(n * sizeof(P));
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    void *d; cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1,128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    return 0;
}
