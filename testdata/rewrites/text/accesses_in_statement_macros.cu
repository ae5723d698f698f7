//@ layouts = ["P = soa", "P = tiled(32)", "P = {x y}, {*}"]
// Members that are used in arguments of macros alone, which are statements.
#include <cstdio>
struct P {
    float x, y;
    int id;
};
#define STORE(a, v) do { (a) = (v); } while (0)
#define SKIP_IF(c) if (c) return
#define TWICE(e) for (int k_ = 0; k_ < 2; k_++) (e)++
__global__ void store(P *p) { STORE(p[threadIdx.x].x, 3); }
__global__ void skip(P *p) {
    int i = threadIdx.x;
    SKIP_IF(p[i].id % 2);
    STORE(p[i].y, 5);
}
__global__ void twice(P *p) { TWICE(p[threadIdx.x].id); }
int main() {
    const int n = 96;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = {0.5f * i, 2.0f, i};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    store<<<1, n>>>(d);
    skip<<<1, n>>>(d);
    twice<<<1, n>>>(d);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x + i * h[i].y + h[i].id;
    printf("%g\n", sum);
    cudaFree(d);
    delete[] h;
}
