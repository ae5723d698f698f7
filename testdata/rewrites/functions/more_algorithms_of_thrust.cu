//@ layouts = ["* = tiled(32)", "* = soa"]
#include <cstdio>
#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct Hit { float t; int material; float u, v; };
struct Ray { float x, y; int pixel; };

struct IsHit { __host__ __device__ bool operator()(const Hit &h) const { return h.t > 0; } };
struct IsSet { __host__ __device__ bool operator()(int k) const { return k % 2 == 1; } };
struct Nearer { __host__ __device__ bool operator()(const Hit &a, const Hit &b) const { return a.t < b.t; } };
struct Material { __host__ __device__ int operator()(const Hit &h) const { return h.material; } };
struct Moved { __host__ __device__ Ray operator()(const Ray &r, const Hit &h) const { return {r.x + h.t, r.y, r.pixel}; } };
struct Doubled { __host__ __device__ Ray operator()(Ray r) const { r.y *= 2; return r; } };
struct Plus { __host__ __device__ int operator()(int a, int b) const { return a + b; } };
struct Both { __host__ __device__ Hit operator()(const Hit &a, const Hit &b) const { return {a.t + b.t, a.material + b.material, 0, 0}; } };
struct Even {
    __host__ __device__ bool operator()(Ray &r)
    {
        int pixel = r.pixel;
        return pixel % 2 == 0 && r.x >= 0;
    }
};
struct Marked {
    int *marks;
    __device__ void operator()(const Ray &r) const { marks[r.pixel] = r.pixel % 3 == 0; }
};

static Hit *dev_hits[2];
static Ray *dev_rays, *dev_others;

__global__ void trace(Hit *hits, const Ray *rays, int *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        hits[i].t = (i * 37) % 101 - 20 + rays[i].x;
        hits[i].material = (i * 7) % 5;
        hits[i].u = i;
        keys[i] = hits[i].material;
    }
}
__global__ void start(Ray *rays, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        rays[i].x = i % 3;
        rays[i].y = i;
        rays[i].pixel = i;
    }
}
__global__ void shade(float *image, const Hit *hits, const Ray *rays, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] += hits[i].t * rays[i].y + hits[i].material + hits[i].u + rays[i].x;
}

static void show(const char *what, float *image, int n) {
    static float host[2000];
    cudaMemcpy(host, image, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += host[i] * (i % 11);
    printf("%s %.1f\n", what, sum);
}

int main() {
    const int n = 1500;
    int *keys, *order;
    float *image;
    cudaMalloc(&keys, n * sizeof(int));
    cudaMalloc(&order, n * sizeof(int));
    cudaMalloc(&image, n * sizeof(float));
    cudaMemset(image, 0, n * sizeof(float));
    cudaMalloc(&dev_hits[0], n * sizeof(Hit));
    cudaMalloc(&dev_hits[1], n * sizeof(Hit));
    cudaMalloc(&dev_rays, n * sizeof(Ray));
    cudaMalloc(&dev_others, n * sizeof(Ray));
    thrust::fill(thrust::device, dev_hits[0], dev_hits[0] + n, Hit());
    thrust::fill(thrust::device, dev_hits[1], dev_hits[1] + n, Hit{1, 2, 3, 4});
    thrust::fill(thrust::device, dev_others, dev_others + n, Ray());
    start<<<(n + 127) / 128, 128>>>(dev_rays, n);
    int src = 0, dst = 1;
    trace<<<(n + 127) / 128, 128>>>(dev_hits[src], dev_rays, keys, n);
    thrust::sequence(thrust::device, order, order + n);
    thrust::sort_by_key(thrust::device, keys, keys + n, order);
    thrust::gather(thrust::device, order, order + n, dev_hits[src], dev_hits[dst]);
    thrust::gather(thrust::device, order, order + n, dev_rays, dev_others);
    shade<<<(n + 127) / 128, 128>>>(image, dev_hits[dst], dev_others, n);
    show("gather", image, n);
    thrust::scatter(thrust::device, dev_rays, dev_rays + n, order, dev_others);
    thrust::scatter_if(thrust::device, dev_hits[dst], dev_hits[dst] + n, order, keys, dev_hits[src], IsSet());
    shade<<<(n + 127) / 128, 128>>>(image, dev_hits[src], dev_others, n);
    show("scatter", image, n);
    Ray *end = thrust::copy_if(thrust::device, dev_rays, dev_rays + n, dev_hits[src], dev_others, IsHit());
    int left = end - dev_others;
    Hit *hits = thrust::remove_if(thrust::device, dev_hits[src], dev_hits[src] + n, keys, IsSet());
    printf("%d of %d, %d\n", left, n, (int)(hits - dev_hits[src]));
    thrust::copy(thrust::device, dev_hits[src], hits, dev_hits[dst] + 5);
    thrust::transform(thrust::device, dev_rays, dev_rays + n, dev_hits[dst], dev_rays, Moved());
    thrust::transform(thrust::device, dev_others, dev_others + left, dev_others, Doubled());
    thrust::transform(thrust::device, dev_hits[dst], dev_hits[dst] + n, keys, Material());
    shade<<<(n + 127) / 128, 128>>>(image, dev_hits[dst], dev_others, n);
    show("transform", image, n);
    printf("%d %d\n", thrust::reduce(thrust::device, keys, keys + n),
           thrust::transform_reduce(thrust::device, dev_hits[dst], dev_hits[dst] + n, Material(), 0, Plus()));
    thrust::for_each(thrust::device, dev_rays, dev_rays + n, Marked{keys});
    int counted = thrust::reduce(thrust::device, keys, keys + n);
    printf("%d %d %d\n", counted, (int)thrust::any_of(thrust::device, dev_hits[dst], dev_hits[dst] + n, IsHit()),
           (int)(thrust::find_if(thrust::device, dev_hits[dst], dev_hits[dst] + n, IsHit()) - dev_hits[dst]));
    Hit *nearest = thrust::min_element(thrust::device, dev_hits[dst], dev_hits[dst] + n, Nearer());
    Hit sum = thrust::reduce(thrust::device, dev_hits[dst], dev_hits[dst] + 64, Hit{0, 0, 0, 0}, Both());
    printf("%d %.1f %d\n", (int)(nearest - dev_hits[dst]), sum.t, sum.material);
    thrust::reverse(thrust::device, dev_rays, dev_rays + n);
    thrust::stable_partition(thrust::device, dev_rays, dev_rays + n, keys, IsSet());
    auto last = thrust::stable_partition(thrust::device, dev_rays, dev_rays + n, Even());
    printf("%d\n", (int)(last - dev_rays));
    shade<<<(n + 127) / 128, 128>>>(image, dev_hits[dst], dev_rays, n);
    show("reverse", image, n);
    cudaFree(dev_hits[0]);
    cudaFree(dev_hits[1]);
    cudaFree(dev_rays);
    cudaFree(dev_others);
    cudaFree(keys);
    cudaFree(order);
    cudaFree(image);
    return 0;
}
