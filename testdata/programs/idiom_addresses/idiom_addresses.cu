// Addresses of members, pointers that walk and compare, elements moved by memcpy or as one vector, and lambdas that
// capture pointers.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Cell
{
    float  mass;
    float  charge;
    float2 velocity;
    int    count;
    int    lanes[3];
};

struct Quad
{
    float a, b, c, d;
};

__device__ void bump(int *counter)
{
    if (counter != nullptr)
        *counter += 1;
}

template <typename T>
__device__ void exchange(T &left, T &right)
{
    T kept = left;
    left = right;
    right = kept;
}

__device__ void scale(float2 *v, float by)
{
    v->x *= by;
    v->y *= by;
}

__device__ float total(const Cell *first, const Cell *last)
{
    float sum = 0.0f;
    for (const Cell *c = first; c != last; ++c)
        sum += c->mass;
    return sum;
}

__global__ void members(Cell *cells, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bump(&cells[i].count);
    bump(&cells[i].lanes[i % 3]);
    scale(&cells[i].velocity, 0.5f);
    exchange(cells[i].mass, cells[i].charge);
    float *larger = cells[i].mass < cells[i].charge ? &cells[i].charge : &cells[i].mass;
    *larger += 1.0f;
    float &x = cells[i].velocity.x;
    x += *larger;
    atomicAdd(&cells[0].lanes[0], 1);
    atomicMax((int *)&cells[i].count, i % 5);
}

__global__ void walks(Cell *cells, int n, float *out, int *where)
{
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    const Cell *best = cells;
    for (const Cell *c = cells; c < cells + n; ++c)
        if (c->mass > best->mass) best = c;
    *where = n > 0 ? (int)(best - cells) : -1;
    *out = total(cells, cells + n);
    Cell *front = cells, *back = cells + n;
    while (front < back)
    {
        front++->count += 1;
        if (front != back) (--back)->count += 2;
    }
    auto shift = [cells, n](int i, int by) { cells[i % n].lanes[1] += by; };
    for (int i = 0; i < n; ++i) shift(i + 1, i);
}

__global__ void moves(Quad *quads, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = *(float4 *)&quads[i];
    v.x += reinterpret_cast<const float4 *>(quads)[i].w;
    Quad own;
    memcpy(&own, &quads[i], sizeof(Quad));
    own.b += v.x;
    if (i & 1)
        memcpy(quads + i, &own, sizeof own);
    else
        *(float4 *)&quads[i] = make_float4(v.w, v.z, v.y, v.x);
    auto [a, b, c, d] = quads[i];
    quads[i] = {a + b, b, c, d + a};
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 500;
    std::vector<Cell> cells(n);
    std::vector<Quad> quads(n);
    for (int i = 0; i < n; ++i)
    {
        cells[i] = Cell{(float)(i * 7 % 31), (float)(i % 13), {1.0f * i, 2.0f}, i % 3, {0, i, 2 * i}};
        quads[i] = Quad{(float)(i % 17), 1.0f, (float)(i % 5), 0.25f * (i % 9)};
    }
    Cell *d_cells;
    Quad *d_quads;
    float *d_out;
    int *d_where;
    cudaMalloc(&d_cells, (n + 1) * sizeof(Cell));
    cudaMalloc(&d_quads, (n + 1) * sizeof(Quad));
    cudaMalloc(&d_out, sizeof(float));
    cudaMalloc(&d_where, sizeof(int));
    cudaMemcpy(d_cells, cells.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
    cudaMemcpy(d_quads, quads.data(), n * sizeof(Quad), cudaMemcpyHostToDevice);
    const int blocks = (n + 127) / 128;
    if (n > 0)
    {
        members<<<blocks, 128>>>(d_cells, n);
        moves<<<blocks, 128>>>(d_quads, n);
    }
    walks<<<1, 1>>>(d_cells, n, d_out, d_where);
    float out = 0.0f, mass = -1.0f;
    int where = 0;
    cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&where, d_where, sizeof(int), cudaMemcpyDeviceToHost);
    if (where >= 0) cudaMemcpy(&mass, &d_cells[where].mass, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(cells.data(), d_cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
    cudaMemcpy(quads.data(), d_quads, n * sizeof(Quad), cudaMemcpyDeviceToHost);
    cudaFree(d_cells);
    cudaFree(d_quads);
    cudaFree(d_out);
    cudaFree(d_where);

    // The same on the host, member by member.
    bool ok = true;
    double sum = 0.0, expected = 0.0;
    long counts = 0, lanes = 0;
    int best = n > 0 ? 0 : -1;
    for (int i = 0; i < n; ++i)
    {
        float m = (float)(i % 13), q = (float)(i * 7 % 31);
        float larger = (m < q ? q : m) + 1.0f;
        if (m < q) q = larger; else m = larger;
        ok = ok && cells[i].mass == m && cells[i].charge == q && cells[i].velocity.x == 0.5f * i + larger;
        expected += m;
        if (best >= 0 && cells[i].mass > cells[best].mass) best = i;
        float a = (float)(i % 17), b = 1.0f, c = (float)(i % 5), d = 0.25f * (i % 9);
        if (i & 1)
        {
            b += a + d;
        }
        else
        {
            const float x = a + d;
            a = d;
            d = x;
            const float kept = b;
            b = c;
            c = kept;
        }
        ok = ok && quads[i].a == a + b && quads[i].b == b && quads[i].c == c && quads[i].d == d + a;
        counts += (i + 1) * (long)cells[i].count;
        lanes += cells[i].lanes[0] + 2L * cells[i].lanes[1] + 3L * cells[i].lanes[2];
        sum += quads[i].a + 2.0 * quads[i].b + 3.0 * quads[i].c + 4.0 * quads[i].d + cells[i].velocity.y;
    }
    ok = ok && where == best && (n == 0 || mass == cells[best].mass);
    ok = ok && (n > 100000 || out == (float)expected);
    printf("cells %ld %ld, quads %.3f, total %.1f, best %d %.1f\n", counts, lanes, sum, out, where, mass);
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return ok ? 0 : 1;
}
