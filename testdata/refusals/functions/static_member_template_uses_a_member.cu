#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
struct P { float x, y; int id; };
struct Mem {
    static size_t total;
    template <class T>
    static T *Allocate(size_t n)
    {
        T *p;
        total += n;
        cudaMalloc(&p, n * sizeof(T));
        return p;
    }
    template <class T>
    static void Copy(T *to, const T *from, size_t n, cudaMemcpyKind k)
    {
        cudaMemcpy(to, from, n * sizeof(T), k);
    }
};
size_t Mem::total = 0;
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
    P *d = Mem::Allocate<P>(n); //~ LC0031 it cannot be seen what this points to //~ LC0077 this construct is not modelled and mentions `P`
    float *w = Mem::Allocate<float>(n);
    Mem::Copy(d, h, n, cudaMemcpyHostToDevice); //~ LC0030 code that uses the array also gets `h`, which is not an element of it
    step<<<1, 128>>>(d, n);
    Mem::Copy(h, d, n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", h[i].x, h[i].id);
    cudaFree(d);
    cudaFree(w);
    return 0;
}
