//@ layouts = ["* = soa", "* = tiled(32)"]
// Macros that a switch of the file defines in two ways; the branch that is not compiled gets an `#error`.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

struct Path { float x, y, z; int bounces; };

#define COMPACT 1
#define SORT (0 && !COMPACT)
#define TRACE (SORT || 0)

#if COMPACT
#define HANDLE_MISS(i, hit, paths) \
        assert((hit).y > -1.0f);
#else
#define HANDLE_MISS(i, hit, paths)     \
        if ((hit).x <= 0.0f) {         \
            (paths)[(i)].bounces = 0;  \
            return;                    \
        }
#endif

#if TRACE
#define SHIFT(p, i) ((p)[i].x + 1)
#else
#define SHIFT(p, i) ((p)[i].x + 2 * (p)[i].z)
#endif

// No other definition of it has a word of the array.
#if SORT
#define FIRST(paths, other) (paths)
#else
#define FIRST(paths, other) (other)
#endif

// The switch chooses between two macros; the body of the chosen one is edited.
#define LENGTH(p, i) ((p)[i].x + 1)
#define HEIGHT(p, i) ((p)[i].z + (p)[i].y)
#if !COMPACT
#define SIZE(p, i) LENGTH(p, i)
#else
#define SIZE(p, i) HEIGHT(p, i)
#endif

__global__ void shade(Path *paths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Path hit = paths[i];
    HANDLE_MISS(i, hit, paths);
    paths[i].y = SHIFT(paths, i);
    paths[i].z = SIZE(paths, i);
    paths[i].bounces = FIRST(paths[i].bounces, hit.bounces) - 1;
}

#if TRACE
__global__ void traced(Path *paths, int n) { paths[0].x = n; }
#endif

__global__ void start(Path *paths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        paths[i].x = i % 7 - 2;
        paths[i].y = 0.5f * (i % 3);
        paths[i].z = i;
        paths[i].bounces = 4;
    }
}

int main() {
    const int n = 100;
    Path *paths;
    cudaMalloc(&paths, n * sizeof(Path));
    start<<<1, 128>>>(paths, n);
    shade<<<1, 128>>>(paths, n);
#if SORT
    traced<<<1, 1>>>(paths, n);
#endif
    Path host[n];
    cudaMemcpy(host, paths, n * sizeof(Path), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += host[i].y * (i % 5) + host[i].bounces + host[i].z;
    printf("%.3f\n", sum);
    cudaFree(paths);
    return 0;
}
