// Heat conduction in a stack of layers: one thread for each column, which it walks from the bottom to
// the top. The linear index moves by one plane after each cell, and three cells of the column stay in
// registers. At the walls a cell is its own neighbour.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(expr)                                                              \
    do {                                                                              \
        cudaError_t err_ = (expr);                                                    \
        if (err_ != cudaSuccess) {                                                    \
            std::fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(err_)); \
            std::exit(EXIT_FAILURE);                                                  \
        }                                                                             \
    } while (0)

struct Coefficients
{
    float centre, side, vertical, source;
};

__global__ void conduct(const float *tIn, float *tOut, const float *power, int nx, int ny, int nz, Coefficients k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;

    int c = y * nx + x;
    int w = (x == 0) ? c : c - 1;
    int e = (x == nx - 1) ? c : c + 1;
    int n = (y == 0) ? c : c - nx;
    int s = (y == ny - 1) ? c : c + nx;

    float below = tIn[c];
    float here = tIn[c];
    float above = nz > 1 ? tIn[c + nx * ny] : here;
    tOut[c] = k.centre * here + k.side * (tIn[w] + tIn[e] + tIn[n] + tIn[s])
            + k.vertical * (below + above) + k.source * power[c];

    for (int z = 1; z < nz; z++) {
        c += nx * ny;
        w += nx * ny;
        e += nx * ny;
        n += nx * ny;
        s += nx * ny;
        below = here;
        here = above;
        if (z < nz - 1)
            above = tIn[c + nx * ny];
        tOut[c] = k.centre * here + k.side * (tIn[w] + tIn[e] + tIn[n] + tIn[s])
                + k.vertical * (below + above) + k.source * power[c];
    }
}

// The mean of every column; here the index moves in the head of the loop.
__global__ void columnMeans(const float *t, float *mean, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) {
        const int plane = nx * ny;
        float sum = 0.0f;
        for (int i = y * nx + x; i < plane * nz; i += plane)
            sum += t[i];
        mean[y * nx + x] = sum / nz;
    }
}

static void reference(const std::vector<double> &in, std::vector<double> &out, const std::vector<float> &power,
                      int nx, int ny, int nz, const Coefficients &k)
{
    const auto at = [&](int x, int y, int z) {
        x = std::min(std::max(x, 0), nx - 1);
        y = std::min(std::max(y, 0), ny - 1);
        z = std::min(std::max(z, 0), nz - 1);
        return in[(z * ny + y) * nx + x];
    };
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++)
                out[(z * ny + y) * nx + x] = k.centre * at(x, y, z)
                    + k.side * (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z))
                    + k.vertical * (at(x, y, z - 1) + at(x, y, z + 1)) + k.source * power[(z * ny + y) * nx + x];
}

int main(int argc, char *argv[])
{
    int nx = 21, ny = 17, nz = 6, steps = 6;
    if (argc > 1) nx = ny = nz = std::atoi(argv[1]);
    if (argc > 2) ny = std::atoi(argv[2]);
    if (argc > 3) nz = std::atoi(argv[3]);
    if (argc > 4) steps = std::atoi(argv[4]);
    if (nx < 0 || ny < 0 || nz < 0) {
        std::fprintf(stderr, "usage: grid_heat3d_column [nx] [ny] [nz] [steps]\n");
        return 2;
    }

    const int cells = nx * ny * nz;
    Coefficients k;
    k.side = 0.11f;
    k.vertical = 0.07f;
    k.source = 0.02f;
    k.centre = 1.0f - 4.0f * k.side - 2.0f * k.vertical;

    std::vector<float> t(cells), power(cells), mean(nx * ny);
    unsigned int lcg = 321u;
    for (int i = 0; i < cells; i++) {
        lcg = lcg * 1664525u + 1013904223u;
        t[i] = 40.0f + ((lcg >> 16) & 255u) / 16.0f;
        power[i] = (float)((lcg >> 8) & 3u);
    }
    std::vector<double> a(t.begin(), t.end()), b(cells);

    if (cells > 0) {
        float *tIn, *tOut, *d_power, *d_mean;
        CUDA_CHECK(cudaMalloc(&tIn, sizeof(float) * cells));
        CUDA_CHECK(cudaMalloc(&tOut, sizeof(float) * cells));
        CUDA_CHECK(cudaMalloc(&d_power, sizeof(float) * cells));
        CUDA_CHECK(cudaMalloc(&d_mean, sizeof(float) * nx * ny));
        CUDA_CHECK(cudaMemcpy(tIn, t.data(), sizeof(float) * cells, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(d_power, power.data(), sizeof(float) * cells, cudaMemcpyHostToDevice));

        const dim3 block(64, 4, 1);
        const dim3 grid((nx + 63) / 64, (ny + 3) / 4, 1);
        for (int i = 0; i < steps; ++i) {
            conduct<<<grid, block>>>(tIn, tOut, d_power, nx, ny, nz, k);
            CUDA_CHECK(cudaGetLastError());
            std::swap(tIn, tOut);
        }
        columnMeans<<<grid, block>>>(tIn, d_mean, nx, ny, nz);
        CUDA_CHECK(cudaGetLastError());

        CUDA_CHECK(cudaMemcpy(t.data(), tIn, sizeof(float) * cells, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(mean.data(), d_mean, sizeof(float) * nx * ny, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaFree(tIn));
        CUDA_CHECK(cudaFree(tOut));
        CUDA_CHECK(cudaFree(d_power));
        CUDA_CHECK(cudaFree(d_mean));
    }

    for (int i = 0; i < steps; ++i) {
        reference(a, b, power, nx, ny, nz, k);
        a.swap(b);
    }

    int wrong = 0;
    double sum = 0.0, means = 0.0;
    unsigned int bits = 0;
    for (int i = 0; i < cells; i++) {
        unsigned int word;
        std::memcpy(&word, &t[i], sizeof word);
        bits = bits * 31u + word;
        if (!(std::fabs(t[i] - a[i]) < 1e-3)) wrong++;
        sum += (i % 23 + 1) * (double)t[i];
    }
    for (int i = 0; i < nx * ny && cells > 0; i++) {
        double expected = 0.0;
        for (int z = 0; z < nz; z++) expected += a[z * nx * ny + i] / nz;
        if (!(std::fabs(mean[i] - expected) < 1e-3)) wrong++;
        means += (i % 9 + 1) * (double)mean[i];
    }
    std::printf("%d x %d x %d cells, %d steps\n", nx, ny, nz, steps);
    std::printf("sum %.14e means %.14e bits %08x\n", sum, means, bits);
    std::printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
