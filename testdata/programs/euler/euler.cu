/*
 * Explicit finite volumes for the compressible Euler equations on an unstructured mesh of quadrilaterals.
 * A channel with slip walls and far-field ends; cells are numbered at random, as mesh generators do.
 *
 * usage: euler [cells across] [steps]        (the channel is three times as long as it is wide)
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "euler.h"

#define checkCudaErrors(val) check_((val), #val, __FILE__, __LINE__)

static void check_(cudaError_t result, char const *const func, const char *const file, int const line)
{
    if (result)
    {
        fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\"\n", file, line, (int)result, func);
        exit(EXIT_FAILURE);
    }
}

__host__ __device__ inline float pressure_of(const Cell &c)
{
    float kinetic = 0.5f * (c.momentum.x * c.momentum.x + c.momentum.y * c.momentum.y + c.momentum.z * c.momentum.z) / c.density;
    return (GAMMA - 1.0f) * (c.energy - kinetic);
}

__host__ __device__ inline void add_physical_flux(Flux *flux, const Cell &c, float nx, float ny)
{
    float p = pressure_of(c);
    float vn = (c.momentum.x * nx + c.momentum.y * ny) / c.density;
    flux->density += 0.5f * c.density * vn;
    flux->momentum.x += 0.5f * (c.momentum.x * vn + p * nx);
    flux->momentum.y += 0.5f * (c.momentum.y * vn + p * ny);
    flux->momentum.z += 0.5f * c.momentum.z * vn;
    flux->energy += 0.5f * (c.energy + p) * vn;
}

__host__ __device__ inline float signal_speed(const Cell &c, float nx, float ny)
{
    float p = pressure_of(c);
    float length = sqrtf(nx * nx + ny * ny);
    float vn = fabsf(c.momentum.x * nx + c.momentum.y * ny) / c.density;
    return vn + length * sqrtf(GAMMA * fmaxf(p, 1e-6f) / c.density);
}

__host__ __device__ inline Cell farfield_state()
{
    Cell c;
    c.density = 1.0f;
    c.momentum.x = 0.5f;
    c.momentum.y = 0.0f;
    c.momentum.z = 0.1f;
    c.energy = 2.6f;
    return c;
}

/* Rusanov flux through one face, away from `in` */
__host__ __device__ inline Flux face_flux(const Cell &in, const Cell &out, float nx, float ny)
{
    Flux f;
    f.density = f.energy = 0.0f;
    f.momentum.x = f.momentum.y = f.momentum.z = 0.0f;
    add_physical_flux(&f, in, nx, ny);
    add_physical_flux(&f, out, nx, ny);
    float a = 0.5f * fmaxf(signal_speed(in, nx, ny), signal_speed(out, nx, ny));
    f.density -= a * (out.density - in.density);
    f.momentum.x -= a * (out.momentum.x - in.momentum.x);
    f.momentum.y -= a * (out.momentum.y - in.momentum.y);
    f.momentum.z -= a * (out.momentum.z - in.momentum.z);
    f.energy -= a * (out.energy - in.energy);
    return f;
}

__global__ void compute_step(const Cell *old_cells, Cell *new_cells, const Element *elements, int nel, float dt)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= nel)
        return;

    Cell me = old_cells[i];
    Flux total;
    total.density = 0.0f;
    total.momentum.x = 0.0f;
    total.momentum.y = 0.0f;
    total.momentum.z = 0.0f;
    total.energy = 0.0f;

#pragma unroll
    for (int j = 0; j < FACES; j++)
    {
        int nb = elements[i].nb[j];
        float nx = elements[i].nx[j];
        float ny = elements[i].ny[j];
        if (nb >= 0)
        {
            Cell other = old_cells[nb];
            Flux f = face_flux(me, other, nx, ny);
            total.density += f.density;
            total.momentum.x += f.momentum.x;
            total.momentum.y += f.momentum.y;
            total.momentum.z += f.momentum.z;
            total.energy += f.energy;
        }
        else if (nb == WALL)
        {
            float p = pressure_of(old_cells[i]);
            total.momentum.x += p * nx;
            total.momentum.y += p * ny;
        }
        else if (nb == FARFIELD)
        {
            Flux f = face_flux(me, farfield_state(), nx, ny);
            total.density += f.density;
            total.momentum.x += f.momentum.x;
            total.momentum.y += f.momentum.y;
            total.momentum.z += f.momentum.z;
            total.energy += f.energy;
        }
    }

    float factor = dt / elements[i].volume;
    new_cells[i].density = old_cells[i].density - factor * total.density;
    new_cells[i].momentum.x = old_cells[i].momentum.x - factor * total.momentum.x;
    new_cells[i].momentum.y = old_cells[i].momentum.y - factor * total.momentum.y;
    new_cells[i].momentum.z = old_cells[i].momentum.z - factor * total.momentum.z;
    new_cells[i].energy = old_cells[i].energy - factor * total.energy;
}

static void reference_step(const Cell *old_cells, Cell *new_cells, const Element *elements, int nel, float dt)
{
    for (int i = 0; i < nel; i++)
    {
        const Element *e = &elements[i];
        const Cell *me = &old_cells[i];
        double density = 0, mx = 0, my = 0, mz = 0, energy = 0;
        for (int j = 0; j < FACES; j++)
        {
            if (e->nb[j] == WALL)
            {
                mx += pressure_of(*me) * e->nx[j];
                my += pressure_of(*me) * e->ny[j];
                continue;
            }
            Cell outside = e->nb[j] == FARFIELD ? farfield_state() : old_cells[e->nb[j]];
            Flux f = face_flux(*me, outside, e->nx[j], e->ny[j]);
            density += f.density;
            mx += f.momentum.x;
            my += f.momentum.y;
            mz += f.momentum.z;
            energy += f.energy;
        }
        new_cells[i].density = me->density - dt / e->volume * density;
        new_cells[i].momentum.x = me->momentum.x - dt / e->volume * mx;
        new_cells[i].momentum.y = me->momentum.y - dt / e->volume * my;
        new_cells[i].momentum.z = me->momentum.z - dt / e->volume * mz;
        new_cells[i].energy = me->energy - dt / e->volume * energy;
    }
}

/* neighbour across one side of the quadrilateral grid under the random numbering */
static int neighbour(const int *number, int x, int y, int width, int height)
{
    if (y < 0 || y >= height)
        return WALL;
    if (x < 0 || x >= width)
        return FARFIELD;
    return number[y * width + x];
}

static void build_mesh(Element *elements, Cell *cells, int width, int height)
{
    int nel = width * height;
    int *number = (int *)malloc(sizeof(int) * (nel + 1));
    unsigned int lcg = 17u;
    for (int i = 0; i < nel; i++)
        number[i] = i;
    for (int i = nel - 1; i > 0; i--)
    {
        lcg = lcg * 1103515245u + 12345u;
        int j = (int)((lcg >> 8) % (unsigned int)(i + 1));
        int t = number[i];
        number[i] = number[j];
        number[j] = t;
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            Element *e = &elements[number[y * width + x]];
            Cell *c = &cells[number[y * width + x]];
            e->volume = 1.0f;
            e->nb[0] = neighbour(number, x + 1, y, width, height);
            e->nb[1] = neighbour(number, x - 1, y, width, height);
            e->nb[2] = neighbour(number, x, y + 1, width, height);
            e->nb[3] = neighbour(number, x, y - 1, width, height);
            for (int f = 0; f < FACES; f++)
            {
                e->nx[f] = f == 0 ? 1.0f : f == 1 ? -1.0f : 0.0f;
                e->ny[f] = f == 2 ? 1.0f : f == 3 ? -1.0f : 0.0f;
            }
            *c = farfield_state();
            c->density += 0.2f * ((x * 5 + y * 3) % 7) / 7.0f;
            c->energy += 0.3f * ((x + 2 * y) % 5) / 5.0f;
        }
    free(number);
}

static bool near(float a, float b)
{
    return fabsf(a - b) <= 2e-4f * (1.0f + fabsf(b));
}

int main(int argc, char **argv)
{
    int height = (argc > 1) ? atoi(argv[1]) : 19;
    int steps = (argc > 2) ? atoi(argv[2]) : 10;
    if (height < 0 || steps < 0)
    {
        fprintf(stderr, "usage: %s [cells across] [steps]\n", argv[0]);
        return 2;
    }
    int nel = 3 * height * height;
    if (nel == 0)
    {
        printf("empty mesh\nPASSED\n");
        return 0;
    }

    const size_t cell_bytes = sizeof(Cell) * nel;
    Cell *h_cells = (Cell *)malloc(cell_bytes);
    Cell *ref_a = (Cell *)malloc(cell_bytes);
    Cell *ref_b = (Cell *)malloc(cell_bytes);
    Element *h_elements = (Element *)malloc(sizeof(Element) * nel);
    build_mesh(h_elements, h_cells, 3 * height, height);
    for (int i = 0; i < nel; i++)
        ref_a[i] = h_cells[i];

    Cell *d_old, *d_new;
    Element *d_elements;
    checkCudaErrors(cudaMalloc((void **)&d_old, cell_bytes));
    checkCudaErrors(cudaMalloc((void **)&d_new, cell_bytes));
    checkCudaErrors(cudaMalloc((void **)&d_elements, sizeof(Element) * nel));
    checkCudaErrors(cudaMemcpy(d_old, h_cells, cell_bytes, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_elements, h_elements, sizeof(Element) * nel, cudaMemcpyHostToDevice));

    const float dt = 0.1f;
    dim3 Dg((nel + 127) / 128), Db(128);
    for (int n = 0; n < steps; n++)
    {
        compute_step<<<Dg, Db>>>(d_old, d_new, d_elements, nel, dt);
        checkCudaErrors(cudaGetLastError());

        Cell *temp = d_old;
        d_old = d_new;
        d_new = temp;
    }
    checkCudaErrors(cudaDeviceSynchronize());
    checkCudaErrors(cudaMemcpy(h_cells, d_old, cell_bytes, cudaMemcpyDeviceToHost));

    checkCudaErrors(cudaFree(d_old));
    checkCudaErrors(cudaFree(d_new));
    checkCudaErrors(cudaFree(d_elements));

    for (int n = 0; n < steps; n++)
    {
        reference_step(ref_a, ref_b, h_elements, nel, dt);
        Cell *temp = ref_a;
        ref_a = ref_b;
        ref_b = temp;
    }

    int wrong = 0;
    double density = 0, mx = 0, my = 0, mz = 0, energy = 0;
    for (int i = 0; i < nel; i++)
    {
        Cell a = h_cells[i], b = ref_a[i];
        if (!near(a.density, b.density) || !near(a.momentum.x, b.momentum.x) || !near(a.momentum.y, b.momentum.y) ||
            !near(a.momentum.z, b.momentum.z) || !near(a.energy, b.energy))
            wrong++;
        density += (i % 3 + 1) * (double)a.density;
        mx += (i % 5 + 1) * (double)a.momentum.x;
        my += (i % 7 + 1) * (double)a.momentum.y;
        mz += (i % 11 + 1) * (double)a.momentum.z;
        energy += (i % 13 + 1) * (double)a.energy;
    }
    printf("%d cells, %d steps\n", nel, steps);
    printf("density %.14e\nmomentum %.14e %.14e %.14e\nenergy %.14e\n", density, mx, my, mz, energy);
    printf("%s\n", wrong ? "FAILED" : "PASSED");

    free(h_cells);
    free(h_elements);
    free(ref_a);
    free(ref_b);
    return wrong ? 1 : 0;
}
