//@ layouts = ["P = soa", "P = tiled(32)", "P = {x}, {*}"]
// Launches and calls in macros with any number of arguments.
#include <cstdio>
#include <cstdlib>
struct P {
    float x;
    int id;
};
#define LAUNCH(k, blocks, ...) k<<<blocks, 64>>>(__VA_ARGS__)
#define RUN(k, p, rest...) do { k<<<2, 64>>>(p, rest); CALL(cudaGetLastError); } while (0)
#define CALL(f, ...) if (f(__VA_ARGS__) != cudaSuccess) exit(1)
#define CALL_2(f, a, b) if (f(a, b) != cudaSuccess) exit(1)
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += 1.0f;
}
template <int K> __global__ void add(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].id += K;
}
__global__ void first(P *p) { p[threadIdx.x].x *= 2; }
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d, *e;
    CALL(cudaMalloc, (void **)&d, n * sizeof(P));
    CALL_2(cudaMalloc, (void **)&e, n * sizeof(P));
    CALL(cudaMemcpy, d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    LAUNCH(step, 2, d, n);
    LAUNCH(add<3>, dim3(2), d, n);
    RUN(step, d, n);
    LAUNCH(first, 1, d);
    CALL(cudaMemcpy, e, d, n * sizeof(P), cudaMemcpyDeviceToDevice);
    LAUNCH(step, 2, e, n);
    CALL(cudaMemcpy, h, e, n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += i * h[i].x + h[i].id;
    printf("%g\n", sum);
    CALL(cudaFree, d);
    CALL(cudaFree, e);
    delete[] h;
    return 0;
}
