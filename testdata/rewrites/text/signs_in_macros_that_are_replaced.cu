//@ layouts = ["P = soa", "P = tiled(32)"]
// Where uses of macros are replaced by their expansions, no two signs become one token.
#include <cstdio>
struct P {
    float x, y, z;
};
#define NEXT(q, k) -(q)[k].x
#define PLUS(q, k) +(q)[k].x
#define NEGATED(q, ...) -q[g(__VA_ARGS__)].y
#define SCALED(v, ...) (-v * h(__VA_ARGS__))
__device__ int g(P *p, int k) { return p[0].x > 0 ? k : 1; }
__device__ float h(P *p, int k) { return p[k].x; }
__global__ void step(P *p) {
    float z = threadIdx.x;
    p[0].z = -NEXT(p + 1, 2) + +PLUS(p + 2, 3);
    p[1].z = -NEGATED(p, p + 1, 2) - -NEXT(p + 1, 1);
    p[2].z = SCALED(-z, p + 1, 2) + z;
}
int main() {
    P h[7], *d;
    for (int i = 0; i < 7; i++) h[i] = {1.0f + i, 2.0f * i, 0};
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 7; i++) printf("%g %g %g\n", h[i].x, h[i].y, h[i].z);
    cudaFree(d);
    return 0;
}
