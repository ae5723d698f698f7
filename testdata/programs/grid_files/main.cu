// Relaxation of a field of three values per cell, in several files.
//
// usage: main [columns] [rows] [steps]
#include "grid_files.h"
#include "relax.cuh"

__global__ void drive(float *field, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < nx) {
        for (int y = 0; y < ny; y++)
            field[number(x, y, 1, nx)] += 0.0625f * around(field, x, y, 0, nx, ny);
    }
}

int main(int argc, char **argv)
{
    const int nx = argc > 1 ? atoi(argv[1]) : 37;
    const int ny = argc > 2 ? atoi(argv[2]) : 9;
    const int steps = argc > 3 ? atoi(argv[3]) : 4;
    if (nx < 1 || ny < 1)
        return 1;
    const size_t bytes = (size_t)nx * ny * VALUES * sizeof(float);
    float *field = (float *)malloc(bytes);
    for (int i = 0; i < nx * ny * VALUES; i++)
        field[i] = (i * 71 % 113) * 0.5f;
    float *device, *next;
    cudaMalloc(&device, bytes);
    cudaMalloc(&next, bytes);
    cudaMemcpy(device, field, bytes, cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        relax(device, next, nx, ny);
        drive<<<(nx + 31) / 32, 32>>>(next, nx, ny);
        float *swap = device;
        device = next;
        next = swap;
    }
    cudaMemcpy(field, device, bytes, cudaMemcpyDeviceToHost);
    double total = 0.0, weighted = 0.0;
    for (int i = 0; i < nx * ny * VALUES; i++) {
        total += field[i];
        weighted += field[i] * (i % 19);
    }
    printf("%.6f %.6f\n", total, weighted);
    cudaFree(device);
    cudaFree(next);
    free(field);
    return 0;
}
