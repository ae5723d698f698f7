#pragma once

// What the kernels share; every file that is compiled has its own.
__device__ inline float around(const float *field, int x, int y, int q, int nx, int ny)
{
    const int west = x > 0 ? x - 1 : nx - 1;
    const int south = y > 0 ? y - 1 : ny - 1;
    return field[number(west, y, q, nx)] + field[number(x, south, q, nx)];
}
