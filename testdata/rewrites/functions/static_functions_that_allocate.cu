//@ layouts = ["Body = soa", "Body = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
struct Body {
    float x, y;
    int id;
};
struct Pool {
    static Body *get(size_t n)
    {
        Body *p;
        cudaMalloc(&p, n * sizeof(Body));
        return p;
    }
    static void put(Body *p) { cudaFree(p); }
};
namespace memory {
template <class T>
struct Allocator {
    static T *make(size_t n)
    {
        T *p = nullptr;
        cudaMalloc((void **)&p, n * sizeof(T));
        return p;
    }
};
}
__global__ void step(Body *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i].x += b[i].y;
}
int main()
{
    const int n = 100;
    std::vector<Body> host(n);
    for (int i = 0; i < n; i++)
        host[i] = Body{1.0f * i, 2.0f, i};
    Body *a = Pool::get(n);
    auto b = memory::Allocator<Body>::make(n);
    float *w = memory::Allocator<float>::make(n);
    cudaMemcpy(a, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(a, n);
    step<<<1, 128>>>(b, n);
    cudaMemcpy(host.data(), b, n * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", host[i].x, host[i].id);
    Pool::put(a);
    cudaFree(b);
    cudaFree(w);
    return 0;
}
