//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
// Whether the first `has` can be called depends on what `first` takes.
struct P { float x, y; };
__host__ __device__ float first(const P *p, int i) { return p[i].x; } //~ LC0083 `decltype` or the head of a template names this function, whose parameters change: a call there may choose another one, or none
template <class T> auto has(T *p) -> decltype(first(p, 0)) { return 1; }
inline int has(...) { return 0; }
__global__ void step(P *p, float *out, int n) { int i = threadIdx.x; if (i < n) out[i] = first(p, i) + p[i].y; }
int main() {
    P z = {1, 2};
    P *p; cudaMalloc(&p, 64 * sizeof(P));
    float *out; cudaMalloc(&out, 64 * sizeof(float));
    step<<<1, 64>>>(p, out, 64);
    printf("%d\n", (int)has(&z));
    return 0;
}
