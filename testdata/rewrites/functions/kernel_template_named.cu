//@ layout = "* = soa"
#include <cuda_runtime.h>
struct P { float x, y; };
template <class T>
struct Cursor {
    T *p;
    int at;
    __device__ Cursor(T *p, int at) : p(p), at(at) {}
    __device__ T load() const { return p[at]; }
};
template <class T>
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    Cursor<P> c(p, i);
    if (i < n) p[i].x += c.load().y * T(1);
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaFuncSetCacheConfig(step<double>, cudaFuncCachePreferL1);
    step<float><<<1, 100>>>(d, 100);
    cudaFree(d);
    return 0;
}
