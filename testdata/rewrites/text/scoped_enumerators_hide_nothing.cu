//@ layouts = ["P = tiled(32)", "P = soa"]
// `N` of the enumeration is `Limit::N`; the array has the other one.
#include <cstdio>
enum class Limit { M = 2, N = M + 3 };
const int N = 3;
struct P {
    float f[N];
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].f[N - 1] += 1.0f;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%g\n", h[1].f[2]);
    cudaFree(d);
    delete[] h;
    return 0;
}
