//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(32)"]
// The parentheses of a cast that is dropped hold its operand together.
#include <cstdio>
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bool none = !static_cast<const P *>(i & 1 ? p : nullptr);
        p[i].x += none;
        p[i].id += static_cast<P *>(i & 2 ? p : nullptr) == nullptr;
        p[i].x += static_cast<const P *>(p + i)->id;
    }
}
int main() {
    const int n = 77;
    P *h = new P[n], *d;
    for (int i = 0; i < n; i++) h[i] = {0.5f * i, i};
    cudaMalloc(static_cast<P **>(&d), n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<3, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x + i * h[i].id;
    printf("%g\n", sum);
    cudaFree(d);
    delete[] h;
    return 0;
}
