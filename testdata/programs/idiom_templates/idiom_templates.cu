// Kernels and functions that are templates over the element type.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
struct Cell { float a, b; int k; };
struct Item { int key; float w; };

template <typename T>
__device__ void swapT(T &x, T &y) { T t = x; x = y; y = t; }

template <class T> __device__ __host__ inline T pick(const T *p, int i) { return p[i]; }
template <typename P> __device__ float first(P p, int i) { return p[i].a + p->b; }

template <typename T, int BS>
__global__ void rev(T *p, int n) {
    __shared__ T tile[BS];
    int i = blockIdx.x * BS + threadIdx.x;
    if (i < n) tile[threadIdx.x] = p[i];
    __syncthreads();
    int count = min(BS, n - (int)blockIdx.x * BS);
    if (i < n) {
        T t = tile[count - 1 - threadIdx.x];
        p[i] = t;
    }
}
template <int BS, typename T>
__global__ void scale(T *__restrict__ p, const T *q, float s, int n) {
    int i = blockIdx.x * BS + threadIdx.x;
    if (i < n) {
        p[i].a = q[i].a * s + sizeof(T);
        T u = pick(q, i);
        p[i].b += u.b + first(q + 0, i) + first(q, i);
        if (i + 1 < n && (i & 1) == 0 && i + 2 < n) p[i].k = q[i].k;
    }
}
__global__ void sw(Item *it, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n && it[i].key < it[i + 1].key) swapT(it[i], it[i + 1]);
    if (i > n - 1) return;
    Item loc[2] = {it[i], it[i]};
    loc[1].w += 1;
    swapT(loc[0], loc[1]);
    float x = 1, y = 2;
    swapT(x, y);
    it[i].w += loc[0].w + x;
}
template <typename T>
void upload(T *d, const T *h, int n) { cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice); }

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const int blocks = n / 32 + 1;
    Cell *h = new Cell[n], *g = new Cell[n];
    Item *it = new Item[n];
    for (int i = 0; i < n; i++) {
        h[i] = {1.0f * (i % 40), 2.0f, i};
        g[i] = {3.0f, 0.5f * (i % 9), 7};
        it[i] = {(i * 37) % 11, 0.25f * (i % 13)};
    }
    Cell *d, *e;
    Item *di;
    cudaMalloc(&d, (n + 1) * sizeof(Cell));
    cudaMalloc(&e, n * sizeof(Cell));
    cudaMalloc(&di, n * sizeof(Item));
    cudaMemset(d, 0, (n + 1) * sizeof(Cell));
    upload(d, h, n);
    upload(e, g, n);
    cudaMemcpy(di, it, n * sizeof(Item), cudaMemcpyHostToDevice);
    rev<Cell, 64><<<blocks, 64>>>(d, n);
    scale<128><<<blocks, 128>>>(d, e, 2.0f, n);
    rev<Item, 32><<<blocks, 32>>>(di, n);
    sw<<<blocks, 32>>>(di, n);
    cudaMemcpy(h, d, n * sizeof(Cell), cudaMemcpyDeviceToHost);
    cudaMemcpy(it, di, n * sizeof(Item), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += h[i].a * (i % 5 + 1) + h[i].b + h[i].k + it[i].key * (i % 6 + 2) + it[i].w;
    printf("checksum %.4f\n", sum);
    cudaFree(d);
    cudaFree(e);
    cudaFree(di);
    delete[] h;
    delete[] g;
    delete[] it;
    return 0;
}
