//@ layouts = ["* = soa", "* = tiled(32)"]
// An owner of constant elements: the deleter gets the address of what it may not change.
#include <cstdio>
#include <cuda_runtime.h>
struct P { float x, y; int id; };
#include <memory>
struct Del { void operator()(const P *p) const { cudaFree((void *)p); } };
__global__ void k(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].id + 1;
}
__global__ void r(const P *p, float *o, int n) { int i = threadIdx.x; if (i < n) o[i] = p[i].x;
}
int main() {
    P *p;
    cudaMalloc(&p, 64 * sizeof(P));
    cudaMemset(p, 0, 64 * sizeof(P));
    k<<<1, 64>>>(p, 64);
    float *o;
    cudaMalloc(&o, 256);
    std::unique_ptr<const P, Del> u(p);
    r<<<1, 64>>>(u.get(), o, 64);
    float h[64];
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    printf("%f\n", h[3]);
}
