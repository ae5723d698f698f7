//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
#define QUIET __attribute__((unused))
enum [[maybe_unused]] Mood { CALM, ANGRY };
struct [[nodiscard]] P {
    float x;
    QUIET Mood mood;
    alignas(8) /* for the loads */ int n;
    [[maybe_unused, gnu::aligned(8)]] char c;
    __attribute__((noinline)) __host__ __device__ float twice() const { return 2 * x; }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x = p[i].twice() + p[i].n + p[i].c;
        p[i].mood = ANGRY;
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    for (int i = 0; i < n; i++) {
        h[i].x = 1.5f * i;
        h[i].n = i;
        h[i].c = (char)i;
    }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%f %d %d\n", h[7].x, h[7].mood, h[99].c);
    cudaFree(d);
    delete[] h;
    return 0;
}
