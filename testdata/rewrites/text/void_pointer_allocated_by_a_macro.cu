//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
#include <cstdio>
struct P {
    int a, b, c;
};
#define ALLOC(p, n, T) cudaMalloc(&(p), (n) * sizeof(T))
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].c = p[i].a + p[i].b;
}
int main() {
    int n = 45;
    P *h = new P[n]();
    void *v;
    ALLOC(v, n, P);
    cudaMemcpy(v, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 64>>>((P *)v, n);
    cudaMemcpy(h, v, n * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%d\n", h[3].c);
    cudaFree(v);
    delete[] h;
    return 0;
}
