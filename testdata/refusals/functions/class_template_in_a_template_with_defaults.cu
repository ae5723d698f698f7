//@ layout = "* = soa"
#include <cuda_runtime.h>
struct P {
    float x, y;
};
template <class T>
struct Cursor { //~ LC0029 the text of this class template would change, and a template that uses it has uses that are not modelled
    T *p;
    int at;
    __device__ Cursor(T *p, int at) : p(p), at(at) {}
    __device__ T load() const { return p[at]; }
};
__device__ P *items;
template <class T = float>
__global__ void print(float *out) {
    Cursor<P> c(items, 0);
    *out = c.load().x * T(1);
}
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    Cursor<P> c(p, i);
    if (i < n) p[i].x += c.load().y;
}
int main() {
    P *d;
    float *out;
    cudaMalloc(&out, sizeof(float));
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemcpyToSymbol(items, &d, sizeof(d));
    step<<<1, 100>>>(d, 100);
    print<><<<1, 1>>>(out);
    cudaFree(d);
    return 0;
}
