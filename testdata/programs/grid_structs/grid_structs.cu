// Shallow water over a bed, scheme of Lax and Friedrichs. A cell of the 2-D grid is a struct; the
// grids of two time levels are swapped. Walls reflect.
//
//   grid_structs [nx] [ny] [steps]
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Cell
{
    float h;        // depth of the water
    float hu, hv;   // momentum
    float bed;      // height of the ground
};

constexpr float gravity = 9.81f;

inline void cudaSafe(cudaError_t result, const char *call)
{
    if (result != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(result));
        exit(EXIT_FAILURE);
    }
}
#define SAFE(call) cudaSafe(call, #call)

__global__ void step(const Cell *cell, Cell *next, int nx, int ny, float r)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        const float hw = cell[y * nx + x - 1].h, he = cell[y * nx + x + 1].h;
        const float hs = cell[(y - 1) * nx + x].h, hn = cell[(y + 1) * nx + x].h;
        const float huw = cell[y * nx + x - 1].hu, hue = cell[y * nx + x + 1].hu;
        const float hvs = cell[(y - 1) * nx + x].hv, hvn = cell[(y + 1) * nx + x].hv;
        const float h = 0.25f * (hw + he + hs + hn);

        next[y * nx + x].h = h - 0.5f * r * (hue - huw + hvn - hvs);

        float flux = hue * hue / he - huw * huw / hw + 0.5f * gravity * (he * he - hw * hw);
        flux += cell[(y + 1) * nx + x].hu * hvn / hn - cell[(y - 1) * nx + x].hu * hvs / hs;
        next[y * nx + x].hu = 0.25f * (huw + hue + cell[(y - 1) * nx + x].hu + cell[(y + 1) * nx + x].hu)
            - 0.5f * r * (flux + gravity * h * (cell[y * nx + x + 1].bed - cell[y * nx + x - 1].bed));

        flux = hvn * hvn / hn - hvs * hvs / hs + 0.5f * gravity * (hn * hn - hs * hs);
        flux += hue * cell[y * nx + x + 1].hv / he - huw * cell[y * nx + x - 1].hv / hw;
        next[y * nx + x].hv = 0.25f * (cell[y * nx + x - 1].hv + cell[y * nx + x + 1].hv + hvs + hvn)
            - 0.5f * r * (flux + gravity * h * (cell[(y + 1) * nx + x].bed - cell[(y - 1) * nx + x].bed));

        next[y * nx + x].bed = cell[y * nx + x].bed;
    }
}

// The outermost cells mirror their inner neighbours: rows by one launch, columns by another.
__global__ void walls_y(Cell *cell, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= nx) return;
    cell[x] = cell[nx + x];
    cell[x].hv = -cell[nx + x].hv;
    cell[(ny - 1) * nx + x] = cell[(ny - 2) * nx + x];
    cell[(ny - 1) * nx + x].hv = -cell[(ny - 2) * nx + x].hv;
}

__global__ void walls_x(Cell *cell, int nx, int ny)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < ny) {
        Cell west = cell[y * nx + 1];
        Cell east = cell[y * nx + nx - 2];
        west.hu = -west.hu;
        east.hu = -east.hu;
        cell[y * nx] = west;
        cell[y * nx + nx - 1] = east;
    }
}

static Cell mirrored(Cell c, bool alongX)
{
    (alongX ? c.hu : c.hv) *= -1.0f;
    return c;
}

static void reference(std::vector<Cell> &cell, std::vector<Cell> &next, int nx, int ny, float r)
{
    for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++) {
            const Cell &w = cell[y * nx + x - 1], &e = cell[y * nx + x + 1];
            const Cell &s = cell[(y - 1) * nx + x], &n = cell[(y + 1) * nx + x];
            const double h = 0.25 * ((double)w.h + e.h + s.h + n.h), g = gravity;
            Cell &c = next[y * nx + x];
            c.h = h - 0.5 * r * ((double)e.hu - w.hu + n.hv - s.hv);
            const double fx = (double)e.hu * e.hu / e.h - (double)w.hu * w.hu / w.h
                + 0.5 * g * ((double)e.h * e.h - (double)w.h * w.h)
                + (double)n.hu * n.hv / n.h - (double)s.hu * s.hv / s.h;
            const double fy = (double)n.hv * n.hv / n.h - (double)s.hv * s.hv / s.h
                + 0.5 * g * ((double)n.h * n.h - (double)s.h * s.h)
                + (double)e.hu * e.hv / e.h - (double)w.hu * w.hv / w.h;
            c.hu = 0.25 * ((double)w.hu + e.hu + s.hu + n.hu) - 0.5 * r * (fx + g * h * ((double)e.bed - w.bed));
            c.hv = 0.25 * ((double)w.hv + e.hv + s.hv + n.hv) - 0.5 * r * (fy + g * h * ((double)n.bed - s.bed));
            c.bed = cell[y * nx + x].bed;
        }
    for (int x = 0; x < nx; x++) {
        next[x] = mirrored(next[nx + x], false);
        next[(ny - 1) * nx + x] = mirrored(next[(ny - 2) * nx + x], false);
    }
    for (int y = 0; y < ny; y++) {
        next[y * nx] = mirrored(next[y * nx + 1], true);
        next[y * nx + nx - 1] = mirrored(next[y * nx + nx - 2], true);
    }
    cell.swap(next);
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 47;
    int ny = argc > 2 ? atoi(argv[2]) : (argc > 1 ? nx : 29);
    int steps = argc > 3 ? atoi(argv[3]) : 6;
    if (nx < 0 || ny < 0 || steps < 0) { fprintf(stderr, "usage: grid_structs [nx] [ny] [steps]\n"); return 2; }
    const int cells = nx * ny;
    const float r = 0.05f;

    std::vector<Cell> grid(cells);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            Cell &c = grid[y * nx + x];
            const float dx = x - 0.3f * nx, dy = y - 0.5f * ny;
            c.bed = 0.05f * ((x / 4 + y / 3) % 3);
            c.h = 2.0f + expf(-0.02f * (dx * dx + dy * dy)) - c.bed;
            c.hu = 0.01f * ((x + y) % 5);
            c.hv = 0.01f * ((x + 2 * y) % 7);
        }
    std::vector<Cell> expected = grid, other = grid;

    if (cells > 0) {
        Cell *d_cell, *d_next;
        SAFE(cudaMalloc(&d_cell, cells * sizeof(Cell)));
        SAFE(cudaMalloc(&d_next, cells * sizeof(Cell)));
        SAFE(cudaMemcpy(d_cell, grid.data(), cells * sizeof(Cell), cudaMemcpyHostToDevice));
        SAFE(cudaMemset(d_next, 0, cells * sizeof(Cell)));
        const dim3 block(32, 8), blocks((nx + 31) / 32, (ny + 7) / 8);
        for (int t = 0; t < steps && nx > 2 && ny > 2; t++) {
            step<<<blocks, block>>>(d_cell, d_next, nx, ny, r);
            walls_y<<<(nx + 127) / 128, 128>>>(d_next, nx, ny);
            walls_x<<<(ny + 127) / 128, 128>>>(d_next, nx, ny);
            SAFE(cudaGetLastError());
            Cell *tmp = d_cell;
            d_cell = d_next;
            d_next = tmp;
        }
        SAFE(cudaMemcpy(grid.data(), d_cell, cells * sizeof(Cell), cudaMemcpyDeviceToHost));
        SAFE(cudaFree(d_cell));
        SAFE(cudaFree(d_next));
    }
    for (int t = 0; t < steps && nx > 2 && ny > 2; t++) reference(expected, other, nx, ny, r);

    int wrong = 0;
    double sum[4] = { 0.0, 0.0, 0.0, 0.0 };
    unsigned int bits = 0;
    for (int i = 0; i < cells; i++) {
        const float a[4] = { grid[i].h, grid[i].hu, grid[i].hv, grid[i].bed };
        const float b[4] = { expected[i].h, expected[i].hu, expected[i].hv, expected[i].bed };
        for (int k = 0; k < 4; k++) {
            unsigned int word;
            memcpy(&word, &a[k], sizeof word);
            bits = bits * 31u + word;
            if (!(fabs(a[k] - b[k]) < 1e-4)) wrong++;
            sum[k] += (i % 17 + 1) * (double)a[k];
        }
    }
    printf("%d x %d cells, %d steps\n", nx, ny, steps);
    printf("h %.14e hu %.14e hv %.14e bed %.14e bits %08x\n", sum[0], sum[1], sum[2], sum[3], bits);
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
