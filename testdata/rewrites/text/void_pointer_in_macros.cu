//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct P { int a, b, c; };
__global__ void step(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].c = p[i].a + 2 * p[i].b; }
#define AS(T, x) ((T *)(x))
#define LAUNCH(d) step<<<1,128>>>((P *)(d), n)
int main() {
    int n = 100;
    P *h = (P *)malloc(n * sizeof(P));
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    void *d; cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    LAUNCH(d);
    step<<<1,128>>>(AS(P, d), n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    return 0;
}
