//@ layouts = ["Body = soa", "Body = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call)                                                  \
    do {                                                             \
        cudaError_t error = (call);                                  \
        if (error != cudaSuccess) {                                  \
            fprintf(stderr, "%s\n", cudaGetErrorString(error));      \
            exit(1);                                                 \
        }                                                            \
    } while (0)
struct Body {
    float x, y;
    int id;
};
template <class T>
T *upload(const std::vector<T> &from)
{
    T *p = nullptr;
    CHECK(cudaMalloc((void **)&p, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T>
void to_device(T *&to, const std::vector<T> &from)
{
    CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}
template <typename T>
T *alloc_device(size_t n)
{
    T *p = nullptr;
    CHECK(cudaMalloc((void **)&p, n * sizeof(T)));
    return p;
}
template <class T>
void download(std::vector<T> &to, const T *from)
{
    CHECK(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
}
__global__ void step(Body *b, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i].x += b[i].y * w[i];
}
int main()
{
    const int n = 100;
    std::vector<Body> host(n);
    std::vector<float> weights(n, 2.0f);
    for (int i = 0; i < n; i++)
        host[i] = Body{1.0f * i, 2.0f, i};
    Body *a = upload(host);
    auto *b = upload<Body>(host);
    Body *c, *d = alloc_device<Body>(n);
    float *w = upload(weights), *v = alloc_device<float>(n);
    to_device(c, host);
    CHECK(cudaMemcpy(d, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
    step<<<1, 128>>>(a, w, n);
    step<<<1, 128>>>(b, w, n);
    step<<<1, 128>>>(c, w, n);
    step<<<1, 128>>>(d, w, n);
    download(host, a);
    printf("%g %d\n", host[9].x, host[9].id);
    download(host, b);
    printf("%g %d\n", host[9].x, host[9].id);
    download(host, c);
    printf("%g %d\n", host[9].x, host[9].id);
    download(host, d);
    printf("%g %d\n", host[9].x, host[9].id);
    download(weights, w);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
    cudaFree(w);
    cudaFree(v);
    return 0;
}
