//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
// Offsets behind pointers that stand under `__VA_ARGS__`.
#include <cstdio>
struct P {
    float x, y;
    int id;
};
#define LAUNCH(k, ...) k<<<3, 32>>>(__VA_ARGS__)
#define LAUNCH_LAST(k, last, ...) do { k<<<3, 32>>>(__VA_ARGS__, last); } while (0)
#define CALL(f, ...) f(__VA_ARGS__)
#define SQUARE(v) ((v) * (v))
__device__ void put(P *p, int i, float v) { p[i].x = v; }
__device__ void add(P *p, P *q, float v) { p->x += q->x * v; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        CALL(put, p, i, p[i].x + 2);
        CALL(add, p + i, &p[i], 0.5f);
        p[i].y = SQUARE(static_cast<float>(p[i].id));
    }
}
template <typename T> __global__ void sum(T *p, T *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i].id += p[i].x;
}
int main() {
    const int n = 77;
    P *h = new P[n], *d;
    for (int i = 0; i < n; i++) h[i] = {0.5f * i, 3.0f - i, i * 7 % 11};
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    LAUNCH(step, d + 5, n - 5);
    LAUNCH(step, &d[0], 3);
    LAUNCH(sum<P>, d, d + 40, n - 40);
    LAUNCH_LAST(sum<P>, 7, d + 3, d + 60);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    double all = 0;
    for (int i = 0; i < n; i++) all += h[i].x * i + h[i].y + h[i].id * 3;
    printf("%g\n", all);
    cudaFree(d);
    delete[] h;
    return 0;
}
