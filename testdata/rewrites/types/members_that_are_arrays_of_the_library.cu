//@ layouts = ["P = soa", "P = tiled(32)"]
#include <array>
#include <cstdio>
#include <cuda/std/array>
#include <vector>
constexpr int DIM = 3;
enum Kind { SOLID, FLUID };
struct P {
    cuda::std::array<float, DIM> pos;
    cuda::std::array<double, DIM - 1> v;
    std::array<Kind, 2> kinds;
    int id;
};
__device__ float total(const cuda::std::array<float, DIM> &a)
{
    float sum = 0.0f;
    for (int k = 0; k < DIM; k++)
        sum += a[k];
    return sum;
}
__global__ void step(P *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].pos[0] += (float)p[i].v[1] + total(p[i].pos);
    cuda::std::array<float, DIM> q = p[i].pos;
    p[i].pos[2] *= 2.0f;
    q[1] += p[i].pos.back();
    p[(i + 1) % n].pos = q;
    p[i].id = (int)p[i].pos.size();
}
int main()
{
    const int n = 64;
    std::vector<P> h(n);
    for (int i = 0; i < n; i++)
        h[i] = P{{1.0f * i, 2.0f, 3.0f}, {0.5, 0.25}, {SOLID, FLUID}, i};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h.data(), n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d, 1);
    cudaMemcpy(h.data(), d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9)
        printf("%g %g %g %d %d\n", h[i].pos[0], h[i].pos[1], h[i].v[1], h[i].kinds[1], h[i].id);
    cudaFree(d);
    return 0;
}
