//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
#include <cstdio>
struct P {
    float x;
    int id;
    char flag;
};
#define N 64
__device__ P table[N];
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += table[i % N].x + p[i].id;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    for (int i = 0; i < n; i++) {
        h[i].x = 0.5f * i;
        h[i].id = i;
    }
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    P *d;
    P *other;
    cudaMallocFromPoolAsync(&d, n * sizeof(P), pool, stream);
    cudaMallocAsync(&other, n * sizeof(P), stream);
    cudaMemcpyAsync(d, h, n * sizeof(P), cudaMemcpyHostToDevice, stream);
    cudaMemcpyToSymbolAsync(table, h, N * sizeof(P), 0, cudaMemcpyHostToDevice, stream);
    cudaMemcpyToSymbolAsync(table, h + 3, 2 * sizeof(P), sizeof(P), cudaMemcpyHostToDevice);
    step<<<4, 32, 0, stream>>>(d, n);
    cudaMemcpyPeerAsync(other, 0, d, 0, n * sizeof(P), stream);
    cudaMemcpyPeerAsync(other + 10, 0, d, 0, 20 * sizeof(P));
    cudaMemcpyAsync(h, other, n * sizeof(P), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("%f %f %d\n", h[7].x, h[12].x, h[99].id);
    cudaMemcpyFromSymbolAsync(h, table, N * sizeof(P), 0, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("%f %d\n", h[2].x, h[63].id);
    cudaFreeAsync(other, stream);
    cudaFree(d);
    delete[] h;
    return 0;
}
