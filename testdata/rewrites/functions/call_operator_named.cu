//@ layouts = ["P = soa", "P = tiled(32)"]
//! Member functions of an element call its call operators: in an expression by their name, and on the object.
#include <cstdio>
#include <cuda_runtime.h>
struct P {
    float x, y;
    int id;
    __device__ float operator()(float by) const { return x * by; }
    __device__ void operator()(int by) { id += by; }
    __device__ float both() const { return operator()(2.0f) + (*this)(3.0f); }
    __device__ void move() {
        (*this)(2);
        (*this)(3);
    }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].y = p[i].both();
        p[i].move();
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    for (int i = 0; i < n; ++i) h[i].x = 0.5f * i;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) printf("%g %g %d\n", h[i].x, h[i].y, h[i].id);
    cudaFree(d);
    delete[] h;
    return 0;
}
