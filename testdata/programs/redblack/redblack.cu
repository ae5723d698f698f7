// Red-black Gauss-Seidel for  -div(k grad u) = f  on the unit square, u = 0 on the boundary.
// Each cell keeps its unknown, its right-hand side and the five coefficients of its row of the matrix.
// Interior cells only are updated, in place; a colour never reads its own.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct Cell
{
    float u;
    float rhs;
    float diag;
    float west, east, south, north;
};

#define RED   0
#define BLACK 1
#define TILE  16

// (n + 2) x (n + 2) cells with the boundary; row-major
#define AT(row, col) ((row) * stride + (col))

__global__ void sweep(Cell *cells, int n, int stride, int colour)
{
    const int row = blockIdx.y * TILE + threadIdx.y + 1;
    const int col = blockIdx.x * TILE + threadIdx.x + 1;
    if (row > n || col > n) return;
    if (((row + col) & 1) != colour) return;

    const int centre = AT(row, col);
    float sum = cells[centre].rhs;
    sum += cells[centre].west  * cells[AT(row, col - 1)].u;
    sum += cells[centre].east  * cells[AT(row, col + 1)].u;
    sum += cells[centre].south * cells[AT(row - 1, col)].u;
    sum += cells[centre].north * cells[AT(row + 1, col)].u;
    cells[centre].u = sum / cells[centre].diag;
}

__global__ void residual(const Cell *cells, int n, int stride, float *out)
{
    const int row = blockIdx.y * TILE + threadIdx.y + 1;
    const int col = blockIdx.x * TILE + threadIdx.x + 1;
    if (row > n || col > n) return;

    const Cell c = cells[AT(row, col)];
    out[(row - 1) * n + col - 1] = c.rhs - c.diag * c.u
        + c.west * cells[AT(row, col - 1)].u + c.east * cells[AT(row, col + 1)].u
        + c.south * cells[AT(row - 1, col)].u + c.north * cells[AT(row + 1, col)].u;
}

static float conductivity(int row, int col)
{
    return 1.0f + 0.25f * ((row * 3 + col * 5) % 4);
}

static void fail(const char *what, cudaError_t err)
{
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(err));
    exit(1);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 37;
    const int iterations = argc > 2 ? atoi(argv[2]) : 8;
    if (n < 0 || iterations < 0) { fprintf(stderr, "usage: redblack [n] [iterations]\n"); return 2; }

    const int stride = n + 2;
    const int total = stride * stride;
    const size_t cellBytes = total * sizeof(Cell);

    Cell *cells = (Cell *)calloc(total, sizeof(Cell));
    double *u = (double *)calloc(total, sizeof(double));
    unsigned int lcg = 31u;
    for (int row = 1; row <= n; row++)
        for (int col = 1; col <= n; col++)
        {
            Cell &c = cells[AT(row, col)];
            lcg = lcg * 214013u + 2531011u;
            c.u = (float)((lcg >> 16) & 255u) / 256.0f;
            c.rhs = 1.0f / (n * n) * (1 + (row * col) % 3);
            c.west = conductivity(row, col);
            c.east = conductivity(row, col + 1);
            c.south = conductivity(row, col);
            c.north = conductivity(row + 1, col);
            c.diag = c.west + c.east + c.south + c.north;
            u[AT(row, col)] = c.u;
        }

    Cell *d_cells;
    float *d_residual;
    cudaError_t err;
    if ((err = cudaMalloc((void **)&d_cells, cellBytes)) != cudaSuccess) fail("cells", err);
    if ((err = cudaMalloc((void **)&d_residual, (n * n + 1) * sizeof(float))) != cudaSuccess) fail("residual", err);
    if ((err = cudaMemcpy(d_cells, cells, cellBytes, cudaMemcpyHostToDevice)) != cudaSuccess) fail("upload", err);

    const dim3 threads(TILE, TILE);
    const dim3 blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    if (n > 0)
    {
        for (int it = 0; it < iterations; it++)
        {
            sweep<<<blocks, threads>>>(d_cells, n, stride, RED);
            sweep<<<blocks, threads>>>(d_cells, n, stride, BLACK);
        }
        residual<<<blocks, threads>>>(d_cells, n, stride, d_residual);
        err = cudaGetLastError();
        if (err == cudaSuccess) err = cudaDeviceSynchronize();
        if (err != cudaSuccess) fail("kernels", err);
    }

    float *res = (float *)malloc((n * n + 1) * sizeof(float));
    if ((err = cudaMemcpy(cells, d_cells, cellBytes, cudaMemcpyDeviceToHost)) != cudaSuccess) fail("download", err);
    if ((err = cudaMemcpy(res, d_residual, n * n * sizeof(float), cudaMemcpyDeviceToHost)) != cudaSuccess)
        fail("download", err);
    cudaFree(d_cells);
    cudaFree(d_residual);

    for (int it = 0; it < 2 * iterations; it++)
        for (int row = 1; row <= n; row++)
            for (int col = 1; col <= n; col++)
                if (((row + col) & 1) == (it & 1))
                {
                    const Cell &c = cells[AT(row, col)];
                    u[AT(row, col)] = (c.rhs + c.west * u[AT(row, col - 1)] + c.east * u[AT(row, col + 1)] +
                                       c.south * u[AT(row - 1, col)] + c.north * u[AT(row + 1, col)]) / c.diag;
                }

    int wrong = 0;
    double sum = 0.0, norm = 0.0, defect = 0.0, coefficients = 0.0;
    for (int row = 0; row < stride; row++)
        for (int col = 0; col < stride; col++)
        {
            const Cell &c = cells[AT(row, col)];
            if (!(fabs(c.u - u[AT(row, col)]) < 1e-5)) wrong++;
            const bool inside = row >= 1 && row <= n && col >= 1 && col <= n;
            if (c.west != (inside ? conductivity(row, col) : 0.0f)) wrong++;
            if (c.north != (inside ? conductivity(row + 1, col) : 0.0f)) wrong++;
            sum += (row % 5 + col % 3 + 1) * (double)c.u;
            coefficients += (row % 3 + 1) * (c.diag + 2.0 * c.west + 3.0 * c.east + 4.0 * c.south + 5.0 * c.north + 6.0 * c.rhs);
        }
    for (int i = 0; i < n * n; i++)
    {
        norm += (double)res[i] * res[i];
        defect += (i % 9 + 1) * (double)res[i];
    }

    printf("%d x %d unknowns, %d iterations\n", n, n, iterations);
    printf("u %.14e residual %.6e defect %.14e matrix %.14e\n", sum, sqrt(norm), defect, coefficients);
    puts(wrong == 0 ? "PASSED" : "FAILED");
    free(res);
    free(u);
    free(cells);
    return wrong == 0 ? 0 : 1;
}
