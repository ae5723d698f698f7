#include "field.h"

#include <cuda_runtime.h>

Field::Field(int n) : d_cells(nullptr), n(n)
{
    cudaMalloc((void **)&d_cells, n * sizeof(Cell));
}

Field::~Field()
{
    cudaFree(d_cells);
}

void Field::upload(const Cell *cells)
{
    cudaMemcpy(d_cells, cells, n * sizeof(Cell), cudaMemcpyHostToDevice);
}

void Field::download(Cell *cells) const
{
    cudaMemcpy(cells, d_cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
}

void Field::advance(float dt, int steps)
{
    for (int t = 0; t < steps; ++t)
        launch_advance(d_cells, n, dt);
}
