//@ layouts = ["P = soa", "P = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
struct P { float x, y; int id; };
struct Mem {
    template <class T>
    static T *Allocate(size_t n)
    {
        T *p;
        cudaMalloc(&p, n * sizeof(T));
        return p;
    }
    template <class T>
    static void Copy(T *to, const T *from, size_t n, cudaMemcpyKind k)
    {
        cudaMemcpy(to, from, n * sizeof(T), k);
    }
};
__global__ void step(P *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}
int main()
{
    const int n = 100;
    P h[n];
    for (int i = 0; i < n; i++)
        h[i] = P{1.0f * i, 2.0f, i};
    P *d = Mem::Allocate<P>(n);
    float *w = Mem::Allocate<float>(n);
    Mem::Copy(d, h, n, cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    Mem::Copy(h, d, n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", h[i].x, h[i].id);
    cudaFree(d);
    cudaFree(w);
    return 0;
}
