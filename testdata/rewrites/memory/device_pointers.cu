//@ layouts = ["Path = tiled(32)", "Path = soa"]
// Pointers whose type says that they lead to device memory: casts, arithmetic, and algorithms without a policy.
#include <cstdio>
#include <cuda_runtime.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/sort.h>

struct Path {
    float x, y;
    int bounces;
};
struct Alive {
    __host__ __device__ bool operator()(const Path &p) const { return p.bounces > 0; }
};
struct Dead {
    __host__ __device__ bool operator()(const Path &p) const { return p.bounces <= 0; }
};
struct ByX {
    __host__ __device__ bool operator()(const Path &a, const Path &b) const { return a.x < b.x; }
};
__global__ void step(Path *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x = (i * 37) % 64;
        p[i].y = i;
        p[i].bounces = i % 4;
    }
}
using PathPtr = thrust::device_ptr<Path>;
static thrust::device_ptr<Path> kept;
static int alive(thrust::device_ptr<Path> p, int n) { return (int)thrust::count_if(p, p + n, Alive()); }

int main() {
    const int n = 64;
    Path *d, h[n];
    cudaMalloc(&d, n * sizeof(Path));
    step<<<2, 32>>>(d, n);
    thrust::device_ptr<Path> t(d);
    thrust::sort(t, t + n, ByX());
    PathPtr u = thrust::device_pointer_cast(d);
    PathPtr middle = thrust::partition(u, u + n, Alive());
    int count = (int)(middle - u);
    auto v = thrust::device_ptr<Path>(d);
    auto end = thrust::remove_if(v, v + count, Dead());
    kept = t;
    printf("%d %d %d\n", count, (int)(end - v), alive(t, n));
    step<<<1, 32>>>(thrust::raw_pointer_cast(kept), 32);
    step<<<1, 32>>>(t.get(), 16);
    int other = (int)thrust::count_if(thrust::device_pointer_cast(d), thrust::device_pointer_cast(d) + n, Alive());
    int third = (int)thrust::count_if(PathPtr(d), PathPtr(d + n), Alive());

    int *keys, given[n];
    for (int i = 0; i < n; i++) given[i] = (i * 29) % 64;
    cudaMalloc(&keys, n * sizeof(int));
    cudaMemcpy(keys, given, n * sizeof(int), cudaMemcpyHostToDevice);
    thrust::device_ptr<int> k(keys);
    thrust::sort_by_key(k, k + n, t);
    cudaMemcpy(h, t.get(), n * sizeof(Path), cudaMemcpyDeviceToHost);
    printf("%d %d\n", other, third);
    for (int i = 0; i < n; i += 5) printf("%g %g %d\n", h[i].x, h[i].y, h[i].bounces);
    cudaFree(thrust::raw_pointer_cast(t));
    cudaFree(keys);
}
