// Local references to elements: T &, const T &, auto &, const auto &, and a reference inside a loop.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Spring
{
    float length;
    float rest;
    float stiffness;
    float force;
    int   broken;
};

__global__ void pull(Spring *springs, int n, float strain)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Spring &s = springs[i];
    s.length = s.rest * (1.0f + strain);
    s.force = s.stiffness * (s.length - s.rest);
}

__global__ void snap(Spring *springs, int n, float limit)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto &s = springs[i];
    if (s.force > limit)
    {
        s.broken += 1;
        s.force = 0.0f;
    }
}

__global__ void energy(const Spring *springs, int n, float *out, int window)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Spring &mine = springs[i];
    float e = 0.0f;
    for (int k = 0; k < window; ++k)
    {
        const auto &other = springs[(i + k) % n];
        if (other.broken) continue;
        e += other.force * (other.length - other.rest) * 0.5f;
    }
    out[i] = mine.broken ? -1.0f : e;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 500;
    const float strain = 0.25f, limit = 6.0f;
    const int window = 4;
    std::vector<Spring> springs(n);
    std::vector<float> out(n);
    for (int i = 0; i < n; ++i)
        springs[i] = Spring{0.0f, 1.0f + i % 8, 0.5f * (1 + i % 13), 0.0f, 0};
    std::vector<Spring> expected = springs;

    // errors are collected and looked at once
    Spring *d_springs = nullptr;
    float *d_out = nullptr;
    int errors = 0;
    errors += cudaMalloc((void **)&d_springs, n * sizeof(Spring)) != cudaSuccess;
    errors += cudaMalloc((void **)&d_out, n * sizeof(float)) != cudaSuccess;
    errors += cudaMemcpy(d_springs, springs.data(), n * sizeof(Spring), cudaMemcpyHostToDevice) != cudaSuccess;
    if (n > 0)
    {
        const int grid = (n + 63) / 64;
        pull<<<grid, 64>>>(d_springs, n, strain);
        snap<<<grid, 64>>>(d_springs, n, limit);
        energy<<<grid, 64>>>(d_springs, n, d_out, window);
    }
    errors += cudaDeviceSynchronize() != cudaSuccess;
    errors += cudaMemcpy(springs.data(), d_springs, n * sizeof(Spring), cudaMemcpyDeviceToHost) != cudaSuccess;
    errors += cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess;
    errors += cudaFree(d_springs) != cudaSuccess;
    errors += cudaFree(d_out) != cudaSuccess;

    // all numbers are multiples of 1/64 or so: device and host agree to the bit
    int wrong = 0;
    double sum = 0.0;
    for (Spring &s : expected)
    {
        s.length = s.rest * (1.0f + strain);
        s.force = s.stiffness * (s.length - s.rest);
        if (s.force > limit) { s.broken = 1; s.force = 0.0f; }
    }
    for (int i = 0; i < n; ++i)
    {
        const Spring &a = springs[i], &b = expected[i];
        float e = 0.0f;
        for (int k = 0; k < window; ++k)
        {
            const Spring &other = expected[(i + k) % n];
            if (!other.broken) e += other.force * (other.length - other.rest) * 0.5f;
        }
        if (b.broken) e = -1.0f;
        wrong += a.length != b.length || a.rest != b.rest || a.stiffness != b.stiffness || a.force != b.force ||
                 a.broken != b.broken || out[i] != e;
        sum += (i % 9 + 1) * (a.length + a.force + 10.0 * a.broken + out[i]);
    }
    std::printf("%d springs, checksum %.6f\n", n, sum);
    std::printf("%s\n", wrong || errors ? "FAILED" : "PASSED");
    return wrong || errors ? 1 : 0;
}
