//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
struct P { float x, y; };
template <class T, class S> __device__ void add(T *p, int i, S s) {
    s += 1;
    S sum = 0;
    sum += s;
    p[i].x += sum;
}
template <class T> struct Kind { static const int value = 2; };
template <> struct Kind<float> { static const int value = 101; };
template <class T, class S> __device__ void by_kind(T *p, int i, S s) { p[i].y += Kind<S>::value * s; }
__global__ void step(P *p, int n) {
    const float a = 2;
    decltype(1.0f) b = 3;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        add(p, i, a);
        by_kind(p, i, a);
        p[i].x += b / 2;
    }
}
int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = P{i * 0.5f, 3.0f - i};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g %g\n", h[i].x, h[i].y);
    cudaFree(d);
    delete[] h;
    return 0;
}
