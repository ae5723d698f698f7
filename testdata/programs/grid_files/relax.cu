#include "grid_files.h"
#include "relax.cuh"

__global__ void relaxation(const float *field, float *next, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= nx || y >= ny)
        return;
    for (int q = 0; q < VALUES; q++)
        next[number(x, y, q, nx)] =
            0.5f * field[number(x, y, q, nx)] + 0.25f * around(field, x, y, q, nx, ny);
}

void relax(float *field, float *next, int nx, int ny)
{
    relaxation<<<dim3((nx + 31) / 32, ny), 32>>>(field, next, nx, ny);
}
