#include "field.h"

__global__ void accelerate(Cell *c, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        c[i].speed += (c[i - 1].height - 2 * c[i].height + c[i + 1].height) * c[i].wall[0] * dt;
}

__global__ void move(Cell *c, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i].height += c[i].speed * dt;
}

void launch_advance(Cell *d_cells, int n, float dt)
{
    accelerate<<<(n + 63) / 64, 64>>>(d_cells, n, dt);
    move<<<(n + 63) / 64, 64>>>(d_cells, n, dt);
}
