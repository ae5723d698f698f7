//@ layouts = ["* = tiled(32)", "* = soa"]
#include <cstdio>
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/sort.h>
#include <thrust/count.h>

struct Path { float x, y, z; int pixel; int bounces; };
struct Hit { float t; int material; };

struct Alive {
    __host__ __device__ bool operator()(const Path &p) { return p.bounces > 0; }
};
struct Done {
    __host__ __device__ bool operator()(const Path &p) const { return p.bounces <= 0; }
};
struct ByMaterial {
    __host__ __device__ bool operator()(const Hit &a, const Hit &b) const { return a.material < b.material; }
};

static Path *dev_paths = NULL;
static Hit *dev_hits = NULL;

__global__ void generate(Path *paths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Path &p = paths[i];
        p.x = i; p.y = 2 * i; p.z = 1; p.pixel = i; p.bounces = i % 5;
    }
}
__global__ void trace(int depth, int n, const Path *paths, Hit *hits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        hits[i].t = paths[i].x * depth;
        hits[i].material = (paths[i].pixel * 7 + depth) % 4;
    }
}
__global__ void shade(int n, Path *paths, const Hit *hits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        paths[i].z += hits[i].t * hits[i].material;
        paths[i].bounces--;
    }
}
__global__ void gather(int n, float *image, const Path *paths) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[paths[i].pixel] += paths[i].z + paths[i].y;
}

// In a namespace, with a function that is given the array, and as a member.
namespace lab {
struct Mark {
    double x;
    int live;
};
struct Live {
    int least;
    __device__ bool operator()(Mark m) const { return m.live > least; }
};
struct Before {
    __host__ __device__ bool operator()(const Mark &a, const Mark &b) const { return a.x < b.x; }
};
int compact(Mark *marks, size_t n) {
    auto end = thrust::remove_if(thrust::device, marks, marks + n, Live{3});
    return end - marks;
}
// Nothing is written; another `std` is nearer.
namespace std {
int counted(const Mark *marks, int n) {
    return thrust::count_if(thrust::device, marks, marks + n, Live{0});
}
} // namespace std
__global__ void mark(Mark *m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        m[i].x = (i * 37) % 100;
        m[i].live = i % 6;
    }
}
} // namespace lab

struct Tracks {
    lab::Mark *at;
    void fill(int n) {
        cudaMalloc(&at, n * sizeof(lab::Mark));
        lab::mark<<<(n + 127) / 128, 128>>>(at, n);
    }
    int live(int n) {
        lab::Mark *end = thrust::stable_partition(thrust::device, at, at + n, lab::Live{2});
        return end > at ? end - at : 0;
    }
    ptrdiff_t sorted(unsigned n) {
        thrust::stable_sort(thrust::device, at, at + n, lab::Before());
        return thrust::count_if(thrust::device, at, at + n, lab::Live{1});
    }
};

__global__ void number(int *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = (i * 7919) % n;
}

int main() {
    const int pixels = 1000;
    float *image;
    cudaMalloc(&image, pixels * sizeof(float));
    cudaMemset(image, 0, pixels * sizeof(float));
    cudaMalloc(&dev_paths, pixels * sizeof(Path));
    cudaMalloc(&dev_hits, pixels * sizeof(Hit));
    generate<<<(pixels + 127) / 128, 128>>>(dev_paths, pixels);
    Path *dev_path_end = dev_paths + pixels;
    int num_paths = dev_path_end - dev_paths;
    for (int depth = 1; num_paths > 0 && depth < 8; ++depth) {
        trace<<<(num_paths + 127) / 128, 128>>>(depth, num_paths, dev_paths, dev_hits);
        thrust::sort_by_key(thrust::device, dev_hits, dev_hits + num_paths, dev_paths, ByMaterial());
        shade<<<(num_paths + 127) / 128, 128>>>(num_paths, dev_paths, dev_hits);
        if (depth == 1) {
            dev_path_end = thrust::stable_partition(thrust::device, dev_paths, dev_path_end, Alive());
            num_paths = dev_path_end - dev_paths;
        } else if (depth == 2) {
            num_paths = thrust::partition(thrust::device, dev_paths, dev_paths + num_paths, Alive()) - dev_paths;
        } else {
            Path *end = thrust::remove_if(thrust::device, dev_paths, dev_paths + num_paths, Done());
            num_paths = end - dev_paths;
        }
        printf("%d: %d, %d\n", depth, num_paths, (int)thrust::count_if(thrust::device, dev_paths, dev_paths + num_paths, Alive()));
        gather<<<(num_paths + 127) / 128, 128>>>(num_paths, image, dev_paths);
    }
    float *host = new float[pixels];
    cudaMemcpy(host, image, pixels * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < pixels; ++i) sum += host[i] * (i % 13);
    printf("%f\n", sum);
    Tracks tracks;
    tracks.fill(pixels);
    printf("%d %d\n", (int)tracks.sorted(pixels / 2), lab::compact(tracks.at, pixels));
    printf("%d %d\n", tracks.live(pixels / 4), lab::std::counted(tracks.at, pixels));
    int *keys;
    cudaMalloc(&keys, pixels * sizeof(int));
    number<<<(pixels + 127) / 128, 128>>>(keys, pixels);
    thrust::sort_by_key(thrust::cuda::par.on(0), keys, keys + pixels, dev_paths);
    Path *half = dev_paths + pixels / 2;
    if (half > dev_paths)
        printf("%d\n", (int)(thrust::partition(thrust::device, half, half + 10, Alive()) - half));
    Path *copy = new Path[pixels];
    cudaMemcpy(copy, dev_paths, pixels * sizeof(Path), cudaMemcpyDeviceToHost);
    for (int i = 0; i < pixels; i += 100) printf("%g %d\n", copy[i].y, copy[i].bounces);
    lab::Mark *marks = new lab::Mark[pixels];
    cudaMemcpy(marks, tracks.at, pixels * sizeof(lab::Mark), cudaMemcpyDeviceToHost);
    for (int i = 0; i < pixels; i += 100) printf("%g %d\n", marks[i].x, marks[i].live);
    delete[] host;
    delete[] copy;
    delete[] marks;
    cudaFree(keys);
    cudaFree(dev_paths);
    cudaFree(dev_hits);
    cudaFree(image);
    cudaFree(tracks.at);
    return 0;
}
