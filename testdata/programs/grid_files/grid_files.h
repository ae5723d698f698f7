#ifndef GRID_FILES_H
#define GRID_FILES_H

// A field on a plane, three values in each cell.
#define VALUES 3

#include <cstdio>
#include <cstdlib>

void relax(float *field, float *next, int nx, int ny);

// The number of a value; the host counts as the device does.
__host__ __device__ inline int number(int x, int y, int q, int nx)
{
    return (y * nx + x) * VALUES + q;
}

#endif
