//@ layout = "P = soa"
#include <cstdio>
#include <cstdlib>
struct P { int a, b, c; };
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].c = i; }
int main() {
    int n = 100;
    P *h = (P *)malloc(n * sizeof(P));
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    void *d; cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1,128>>>((P *)d, n); //~ LC0031 it cannot be seen what this points to
    cudaMemcpy(h, d + 12, sizeof(P), cudaMemcpyDeviceToHost);
    printf("%d\n", h->a);
    return 0;
}
