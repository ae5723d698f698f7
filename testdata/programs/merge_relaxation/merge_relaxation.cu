// Red-black relaxation with coefficients: a thread per point of one colour, so that neighbouring threads are two values
// apart in each of the five arrays.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void relax(float *u, const float *west, const float *east, const float *south, const float *north,
                      const float *source, int n, int colour)
{
    int half = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    int column = 2 * half + (row + colour) % 2;
    if (column >= n)
        return;
    int p = row * n + column, q = (row + 1) * (n + 2) + column + 1;
    u[q] = source[p] + west[p] * u[q - 1] + east[p] * u[q + 1] + south[p] * u[q - (n + 2)] + north[p] * u[q + (n + 2)];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 70, rounds = argc > 2 ? atoi(argv[2]) : 3;
    const size_t count = (size_t)n * n, all = (size_t)(n + 2) * (n + 2);
    std::vector<float> c[5], u(all);
    unsigned seed = 12345;
    for (int k = 0; k < 5; ++k)
        for (size_t i = 0; i < count; ++i) {
            seed = seed * 1664525u + 1013904223u;
            c[k].push_back((seed >> 20) * (1.0f / 16384));
        }
    for (size_t i = 0; i < all; ++i)
        u[i] = (i % 11) * 0.1f;
    float *west, *east, *south, *north, *source, *field;
    cudaMalloc(&west, count * sizeof(float));
    cudaMalloc(&east, count * sizeof(float));
    cudaMalloc(&south, count * sizeof(float));
    cudaMalloc(&north, count * sizeof(float));
    cudaMalloc(&source, count * sizeof(float));
    cudaMalloc(&field, all * sizeof(float));
    cudaMemcpy(west, c[0].data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(east, c[1].data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(south, c[2].data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(north, c[3].data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(source, c[4].data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(field, u.data(), all * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32), grid((n / 2 + 32) / 32, n);
    for (int round = 0; round < rounds && n > 0; ++round)
        for (int colour = 0; colour < 2; ++colour)
            relax<<<grid, block>>>(field, west, east, south, north, source, n, colour);
    std::vector<float> got(all);
    cudaMemcpy(got.data(), field, all * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(west);
    cudaFree(east);
    cudaFree(south);
    cudaFree(north);
    cudaFree(source);
    cudaFree(field);
    for (int round = 0; round < rounds; ++round)
        for (int colour = 0; colour < 2; ++colour)
            for (int row = 0; row < n; ++row)
                for (int column = (row + colour) % 2; column < n; column += 2) {
                    int p = row * n + column, q = (row + 1) * (n + 2) + column + 1;
                    u[q] = c[4][p] + c[0][p] * u[q - 1] + c[1][p] * u[q + 1] + c[2][p] * u[q - (n + 2)] +
                           c[3][p] * u[q + (n + 2)];
                }
    double sum = 0;
    bool good = true;
    for (size_t i = 0; i < all; ++i) {
        sum += got[i] * (1 + i % 13);
        good = good && std::fabs(got[i] - u[i]) <= 1e-4 * (1 + std::fabs(u[i]));
    }
    printf("%.4f\n%s\n", sum, good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
