//@ layouts = ["P = soa", "P = tiled(32)"]
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct P { int a, b, c; };
__global__ void step(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].c = p[i].a + 2 * p[i].b; }
void copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) { cudaMemcpy(to, from, bytes, kind); }
int main() {
    int n = 100;
    P *h = (P *)malloc(n * sizeof(P));
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    P *d; cudaMalloc(&d, n * sizeof(P));
    copy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1,128>>>(d, n);
    copy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    return 0;
}
