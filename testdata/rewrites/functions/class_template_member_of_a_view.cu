//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <cstdio>
struct P { float x, y; };
template <class T> struct View { T *p; int n; };
template <class T> __device__ void bump(View<T> &v, int i) { v.p[i].x += v.p[i].y; }
template <class V> __device__ void bump2(V &v, int i) { v.p[i].x += v.p[i].y; }
template <class T> __global__ void step(View<T> v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n) { bump(v, i); bump2(v, i); }
}
template <class T> struct DeviceArray {
    T *data;
    int n = 0;
    DeviceArray() : data(nullptr) {}
    void resize(int m) { if (data) cudaFree(data); n = m; cudaMalloc((void **)&data, n * sizeof(T)); }
    View<T> view() const { View<T> v; v.p = data; v.n = n; return v; }
    ~DeviceArray() { if (data) cudaFree(data); }
};
int main() {
    P h[100];
    for (int i = 0; i < 100; i++) h[i].x = h[i].y = i;
    DeviceArray<P> d;
    d.resize(100);
    cudaMemcpy(d.data, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d.view());
    cudaMemcpy(h, d.data, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 100; i += 9) printf("%g\n", h[i].x);
    return 0;
}
