// The running example of Sung, Stratton and Hwu (PACT 2010, §4), with linear indices: a grid of four numbers
// per cell, a block per row, a thread per column.
//
// usage: running_example [nx] [ny]
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N, S, E, W, FIELDS };

__global__ void sweep(const float *A0, float *Anext, int ny, int nx)
{
    int y = blockIdx.x + 1;
    int x = threadIdx.x + 1;
    if (y >= ny - 1 || x >= nx - 1) return;
    Anext[((y - 1)*nx + x)*FIELDS + S] = A0[(y*nx + x)*FIELDS + N];
    Anext[((y + 1)*nx + x)*FIELDS + N] = A0[(y*nx + x)*FIELDS + S];
    Anext[(y*nx + x - 1)*FIELDS + E] = A0[(y*nx + x)*FIELDS + W];
    Anext[(y*nx + x + 1)*FIELDS + W] = A0[(y*nx + x)*FIELDS + E];
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 130;
    int ny = argc > 2 ? atoi(argv[2]) : 41;
    if (nx < 3 || ny < 3 || nx > 130) return 2;
    std::vector<float> a(nx * ny * FIELDS), b(nx * ny * FIELDS);
    for (size_t i = 0; i < a.size(); i++)
        a[i] = 0.25f * (i % 1021);
    float *d_a, *d_b;
    cudaMalloc(&d_a, nx * ny * FIELDS * sizeof(float));
    cudaMalloc(&d_b, nx * ny * FIELDS * sizeof(float));
    cudaMemcpy(d_a, a.data(), nx * ny * FIELDS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_b, 0, nx * ny * FIELDS * sizeof(float));
    sweep<<<ny - 2, 128>>>(d_a, d_b, ny, nx);
    sweep<<<ny - 2, 128>>>(d_b, d_a, ny, nx);
    cudaMemcpy(a.data(), d_a, nx * ny * FIELDS * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), d_b, nx * ny * FIELDS * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); i++)
        sum += (i % 13 + 1) * a[i] + (i % 7 + 1) * b[i];
    printf("%.6e\n", sum);
    cudaFree(d_a);
    cudaFree(d_b);
    return 0;
}
