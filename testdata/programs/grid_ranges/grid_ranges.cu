// Three values for each particle, copied and filled by ranges that begin and end anywhere, some on
// a stream.
//
// usage: grid_ranges [particles, at least 40]
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void exchange(float *u, const float *v, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int q = 0; q < 3; q++)
            u[3 * i + q] += v[3 * i + 2 - q] * i + q;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 43;
    if (n < 40)
        return 1;
    std::vector<float> h(3 * n), g(3 * n);
    for (int i = 0; i < 3 * n; i++) {
        h[i] = i * 3 + 1;
        g[i] = i % 7;
    }
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float *u, *v;
    cudaMalloc(&u, 3 * n * sizeof(float));
    cudaMalloc(&v, 3 * n * sizeof(float));
    cudaMemset((void *)u, 0, 3 * n * sizeof(float));
    cudaMemset(v, 0, 3 * n * sizeof(float));
    cudaMemcpyAsync(u + 10, h.data() + 5, 50 * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(v, g.data(), 3 * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(&v[17], 1, 11 * sizeof(float));
    cudaMemcpyAsync(&u[70], v + 31, 20 * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(1 + u, (void *)(v + n), n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaStreamSynchronize(stream);
    exchange<<<(n + 31) / 32, 32>>>(u, v, n);
    cudaMemcpy(h.data() + 3, &u[4], 80 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(g.data(), v, 3 * n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    double total = 0.0;
    for (int i = 0; i < 3 * n; i++)
        total += h[i] * i + g[i] * (i + 3);
    printf("%.6g\n", total);
    cudaFree(u);
    cudaFree(v);
    cudaStreamDestroy(stream);
    return 0;
}
