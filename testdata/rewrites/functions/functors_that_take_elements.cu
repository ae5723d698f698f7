//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
//! Objects with a call operator that are given elements, pointers to them, or copies.
#include <cstdio>
#include <cuda_runtime.h>
struct P {
    float x, y;
    int id;
};
struct Scale {
    float by;
    __host__ __device__ void operator()(P &q) const {
        q.x += q.y * by;
        q.id++;
    }
};
struct Shift {
    int by;
    __device__ void operator()(P *q, int i) const { q[i].id += by; }
};
struct Norm {
    __device__ float operator()(P q) const { return q.x * q.x + q.y * q.y; }
};
template <typename T, typename Operation>
__global__ void each(T *p, int n, Operation operation) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) operation(p[i]);
}
struct Tools {
    Scale scale;
    Norm norm;
};
__global__ void step(P *p, int n, Shift shift, Tools tools) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        shift(p, i);
        tools.scale(p[i]);
        Scale{0.5f}(p[i]);
        p[i].y = tools.norm(p[i]);
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    for (int i = 0; i < n; ++i) h[i] = P{0.5f * i, 1.0f, i};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    each<<<1, 128>>>(d, n, Scale{2.0f});
    step<<<1, 128>>>(d, n, Shift{7}, Tools{{3.0f}, {}});
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) printf("%g %g %d\n", h[i].x, h[i].y, h[i].id);
    cudaFree(d);
    delete[] h;
    return 0;
}
