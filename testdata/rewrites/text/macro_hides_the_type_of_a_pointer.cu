//@ layouts = ["P = soa", "P = tiled(32)"]
#include <cstdio>
struct P {
    int a, b, c;
};
#define VOIDP(x) ((void *)(x))
#define CUR ((P *)current)
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].c = p[i].a + p[i].b;
}
int main() {
    int n = 45;
    P *h = new P[n]();
    void *current = NULL;
    if (CUR == NULL)
        cudaMalloc(&current, n * sizeof(P));
    if (!CUR)
        return 1;
    cudaMemcpy(VOIDP(current), VOIDP(h), n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemset(VOIDP(current), 0, 2 * sizeof(P));
    if (CUR)
        step<<<1, 64>>>(CUR, n);
    cudaMemcpy(VOIDP(h), VOIDP(current), n * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%d\n", h[3].c);
    cudaFree(VOIDP(current));
    delete[] h;
    return 0;
}
