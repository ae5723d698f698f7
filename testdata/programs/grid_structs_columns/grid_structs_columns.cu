// Radiation through layers of cloud: a cell of the 3-D grid is a struct, and each thread follows one row of
// cells from west to east and back, so that neighbouring threads are a row apart. The cells of the
// last sweep are mixed with their neighbours above and below.
//
//   grid_structs_columns [nx] [ny] [nz] [sweeps]
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

struct Cell
{
    float density;
    float light[2];   // eastward, westward
    float heat;
    int passes;
};

#define CELL(x, y, z) (((z) * ny + (y)) * nx + (x))
#define LIGHT(p, i, way) (p)[i].light[way]

inline void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define CHECK(call) check(call, __LINE__)

// What a cell lets through of the light that comes in; the rest heats it.
__device__ float absorb(Cell &cell, float light, int way)
{
    const float through = light / (1.0f + cell.density);
    cell.heat += light - through;
    cell.light[way] = through;
    cell.passes++;
    return through;
}

__device__ void cool(Cell *cell) { cell->heat *= 0.75f; }
__device__ float heat(const Cell *cell) { return cell->heat; }

__global__ void sweep(Cell *cells, int nx, int ny, int nz, float sun)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y;
    if (y >= ny || z >= nz) return;
    float light = sun;
    for (int x = 0; x < nx; x++) light = absorb(cells[CELL(x, y, z)], light, 0);
    for (int x = nx - 1; x >= 0; x--) {
        Cell &cell = cells[(z * ny + y) * nx + x];
        light = absorb(cell, light, 1);
    }
    const int row = (z * ny + y) * nx;
    for (int x = 1; x < nx; x += 3) cool(&cells[row + x]);
}

__global__ void mix(const Cell *from, Cell *to, int nx, int ny, int nz)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y;
    if (y >= ny || z >= nz) return;
    for (int x = 0; x < nx; x++) {
        const int i = CELL(x, y, z);
        float sum = 2.0f * heat(&from[i]);
        sum += z > 0 ? from[i - nx * ny].heat : heat(from + CELL(x, y, z));
        sum += z < nz - 1 ? (from + (i + nx * ny))->heat : from[i].heat;
        to[i] = from[i];
        to[i].heat = 0.25f * sum;
        LIGHT(to, i, 0) += x > 0 ? LIGHT(from, i - 1, 1) : 0.0f;
    }
}

// The westernmost cells start over.
__global__ void west(Cell *cells, int nx, int ny, int nz)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y;
    if (y >= ny || z >= nz) return;
    Cell cell = cells[(z * ny + y) * nx];
    cell.heat = 1.0f;
    cells[(z * ny + y) * nx] = cell;
}

static void step(Cell *&cells, Cell *&other, int nx, int ny, int nz, float sun)
{
    const dim3 blocks((ny + 63) / 64, nz);
    sweep<<<blocks, 64>>>(cells, nx, ny, nz, sun);
    mix<<<blocks, 64>>>(cells, other, nx, ny, nz);
    west<<<blocks, 64>>>(other, nx, ny, nz);
    CHECK(cudaGetLastError());
    std::swap(cells, other);
}

static float pass(Cell *cell, float light, int way)
{
    cell->light[way] = light / (1.0f + cell->density);
    cell->heat += light - cell->light[way];
    cell->passes++;
    return cell->light[way];
}

static void reference(std::vector<Cell> &cells, int nx, int ny, int nz, float sun)
{
    for (int row = 0; row < ny * nz; row++) {
        float light = sun;
        for (int x = 0; x < nx; x++) light = pass(&cells[row * nx + x], light, 0);
        for (int x = nx - 1; x >= 0; x--) light = pass(&cells[row * nx + x], light, 1);
        for (int x = 1; x < nx; x += 3) cells[row * nx + x].heat *= 0.75f;
    }
    const std::vector<Cell> from = cells;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                const int i = CELL(x, y, z), layer = nx * ny;
                float sum = 2.0f * from[i].heat;
                sum += z > 0 ? from[i - layer].heat : from[i].heat;
                sum += z < nz - 1 ? from[i + layer].heat : from[i].heat;
                cells[i].heat = x == 0 ? 1.0f : 0.25f * sum;
                cells[i].light[0] += x > 0 ? from[i - 1].light[1] : 0.0f;
            }
}

int main(int argc, char **argv)
{
    const int nx = argc > 1 ? atoi(argv[1]) : 21;
    const int ny = argc > 2 ? atoi(argv[2]) : 45;
    const int nz = argc > 3 ? atoi(argv[3]) : 3;
    const int sweeps = argc > 4 ? atoi(argv[4]) : 4;
    if (nx < 1 || ny < 1 || nz < 1) { fprintf(stderr, "nothing to do\n"); return 2; }
    const size_t cells = (size_t)nx * ny * nz;

    std::vector<Cell> host(cells);
    for (size_t i = 0; i < cells; i++) {
        host[i] = { 0.01f * (i % 7), { 0.0f, 0.0f }, 0.1f * (i % 5), (int)(i % 3) };
    }
    std::vector<Cell> expected = host;

    Cell *d_cells, *d_other;
    CHECK(cudaMalloc((void **)&d_cells, cells * sizeof(Cell)));
    CHECK(cudaMalloc((void **)&d_other, cells * sizeof(Cell)));
    CHECK(cudaMemcpy(d_cells, host.data(), cells * sizeof(Cell), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_other, 0, cells * sizeof(Cell)));
    for (int t = 0; t < sweeps; t++) step(d_cells, d_other, nx, ny, nz, 1.0f + t);
    // The lowest layer is read back by itself, the others together.
    const size_t layer = (size_t)nx * ny;
    CHECK(cudaMemcpy(host.data(), d_cells, layer * sizeof(Cell), cudaMemcpyDeviceToHost));
    if (nz > 1) {
        CHECK(cudaMemcpy(&host[layer], d_cells + layer, (cells - layer) * sizeof(Cell),
                         cudaMemcpyDeviceToHost));
    }
    CHECK(cudaFree(d_cells));
    CHECK(cudaFree(d_other));

    for (int t = 0; t < sweeps; t++) reference(expected, nx, ny, nz, 1.0f + t);
    int wrong = 0;
    double sum = 0.0;
    for (size_t i = 0; i < cells; i++) {
        const Cell &a = host[i], &b = expected[i];
        if (!(fabs(a.heat - b.heat) < 1e-3 && fabs(a.light[0] - b.light[0]) < 1e-3)) wrong++;
        if (a.passes != b.passes || a.density != b.density) wrong++;
        sum += (i % 17 + 1) * ((double)a.heat + a.light[0] + a.light[1]);
    }
    printf("%d x %d x %d cells, %d sweeps: %.9e\n", nx, ny, nz, sweeps, sum);
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
