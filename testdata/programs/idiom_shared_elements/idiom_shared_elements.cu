// Elements staged in shared memory, static and dynamic: loaded whole, changed there, stored whole; and a block
// reduction that keeps the best element.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Hit { float distance; int object; unsigned int mask; };

static const int kBlock = 64;

__global__ void smooth(const Hit *in, Hit *out, int n)
{
    extern __shared__ Hit row[];   // blockDim.x + 2 elements
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = threadIdx.x + 1;
    if (i < n) {
        row[t] = in[i];
        if (threadIdx.x == 0) row[0] = in[i > 0 ? i - 1 : 0];
        if (threadIdx.x == blockDim.x - 1 || i == n - 1) row[t + 1] = in[i + 1 < n ? i + 1 : n - 1];
    }
    __syncthreads();
    if (i < n) {
        Hit h = row[t];
        h.distance = 0.25f * row[t - 1].distance + 0.5f * h.distance + 0.25f * row[t + 1].distance;
        h.mask = row[t - 1].mask | row[t + 1].mask;
        out[i] = h;
    }
}

__device__ bool nearer(const Hit &a, const Hit &b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.object < b.object);
}

__global__ void nearest(const Hit *hits, int n, Hit *best)
{
    __shared__ Hit cache[kBlock];
    const int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) {
        cache[threadIdx.x] = hits[i];
    } else {
        cache[threadIdx.x].distance = 1e30f;
        cache[threadIdx.x].object = 0x7fffffff;
        cache[threadIdx.x].mask = 0u;
    }
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && nearer(cache[threadIdx.x + half], cache[threadIdx.x]))
            cache[threadIdx.x] = cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) best[blockIdx.x] = cache[0];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1) { puts("no hits\nPASSED"); return 0; }
    const int blocks = (n + kBlock - 1) / kBlock;
    std::vector<Hit> hits(n), out(n), best(blocks);
    for (int i = 0; i < n; i++) {
        hits[i].distance = (float)((i * 7919) % 1024);
        hits[i].object = n - i;
        hits[i].mask = 1u << (i % 32);
    }

    Hit *d_in, *d_out, *d_best;
    cudaMalloc(&d_in, n * sizeof(Hit));
    cudaMalloc(&d_out, n * sizeof(Hit));
    cudaMalloc(&d_best, blocks * sizeof(Hit));
    cudaMemcpy(d_in, hits.data(), n * sizeof(Hit), cudaMemcpyHostToDevice);
    smooth<<<blocks, kBlock, (kBlock + 2) * sizeof(Hit)>>>(d_in, d_out, n);
    nearest<<<blocks, kBlock>>>(d_out, n, d_best);
    cudaMemcpy(out.data(), d_out, n * sizeof(Hit), cudaMemcpyDeviceToHost);
    cudaMemcpy(best.data(), d_best, blocks * sizeof(Hit), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_best);
    bool ok = cudaGetLastError() == cudaSuccess;

    double sum = 0.0;
    unsigned int mask = 0u;
    for (int i = 0; i < n; i++) {
        const Hit &l = hits[std::max(i - 1, 0)], &r = hits[std::min(i + 1, n - 1)];
        ok = ok && out[i].distance == 0.25f * l.distance + 0.5f * hits[i].distance + 0.25f * r.distance &&
             out[i].object == hits[i].object && out[i].mask == (l.mask | r.mask);
        sum += (i % 3 + 1) * (out[i].distance + 2.0 * out[i].object);
        mask = mask * 31u + out[i].mask;
    }
    for (int b = 0; b < blocks; b++) {
        const int from = b * kBlock, to = std::min(n, from + kBlock);
        const Hit w = *std::min_element(out.begin() + from, out.begin() + to, [](const Hit &x, const Hit &y) {
            return x.distance < y.distance || (x.distance == y.distance && x.object < y.object);
        });
        ok = ok && best[b].distance == w.distance && best[b].object == w.object && best[b].mask == w.mask;
        sum += best[b].distance + best[b].object;
    }
    printf("%d hits, %d blocks: %.4f %08x\n%s\n", n, blocks, sum, mask, ok ? "PASSED" : "FAILED");
    return ok ? 0 : 1;
}
