/* Lattice Boltzmann, D3Q19, BGK collision with a force: a periodic box with obstacles. The nineteen distributions
 * of a node are an array in its record, and the moments come from functions that are given a pointer to them.
 * Two grids, swapped after each step.
 *
 * usage: lbm3d [width] [height] [depth] [steps]
 */

#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define Q 19

struct Node {
    float f[Q];
    float force[3];
    int solid;
};

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                  \
            fprintf(stderr, "%s: line %d\n", cudaGetErrorString(error), __LINE__);   \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

__host__ __device__ inline int direction(int q, int axis)
{
    const signed char c[Q][3] = {
        {0, 0, 0},  {1, 0, 0},   {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},   {0, 0, 1},  {0, 0, -1},
        {1, 1, 0},  {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 0, 1},    {-1, 0, -1}, {1, 0, -1},
        {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
    };
    return c[q][axis];
}

__host__ __device__ inline float weight(int q)
{
    return q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
}

/* The density of a node, or of distributions that were gathered. */
__host__ __device__ inline float density(const float *f)
{
    float sum = 0.0f;
    for (int q = 0; q < Q; ++q)
        sum += f[q];
    return sum;
}

__host__ __device__ inline void velocity(const float (&f)[Q], float rho, float u[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        float sum = 0.0f;
        for (int q = 0; q < Q; ++q)
            sum += direction(q, axis) * f[q];
        u[axis] = sum / rho;
    }
}

__host__ __device__ inline float equilibrium(int q, float rho, const float u[3])
{
    float cu = 3.0f * (direction(q, 0) * u[0] + direction(q, 1) * u[1] + direction(q, 2) * u[2]);
    float uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    return weight(q) * rho * (1.0f + cu + 0.5f * cu * cu - 1.5f * uu);
}

/* What a force adds to the distributions. */
__host__ __device__ inline void push(float *f, const float *force)
{
    for (int q = 1; q < Q; ++q) {
        float along = 0.0f;
        for (int axis = 0; axis < 3; ++axis)
            along += direction(q, axis) * force[axis];
        f[q] += 3.0f * weight(q) * along;
    }
}

__host__ __device__ inline int neighbour(int i, int q, int nx, int ny, int nz)
{
    int x = (i % nx - direction(q, 0) + nx) % nx;
    int y = (i / nx % ny - direction(q, 1) + ny) % ny;
    int z = (i / (nx * ny) - direction(q, 2) + nz) % nz;
    return (z * ny + y) * nx + x;
}

__global__ void stream(const Node *from, Node *to, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny * nz)
        return;
    float *f = to[i].f;
    for (int q = 0; q < Q; ++q)
        f[q] = from[neighbour(i, q, nx, ny, nz)].f[q];
    float *force = &to[i].force[0];
    const auto *old = from[i].force;
    for (int axis = 0; axis < 3; ++axis)
        force[axis] = old[axis];
    to[i].solid = from[i].solid;
}

__global__ void collide(Node *nodes, int n, float omega)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Node *node = &nodes[i];
    if (node->solid)
        return;
    float rho = density(nodes[i].f), u[3];
    velocity(nodes[i].f, rho, u);
    float *f = node->f;
    for (int q = 0; q < Q; ++q)
        f[q] += omega * (equilibrium(q, rho, u) - f[q]);
    push(node->f, node->force);
}

/* The density, and that of a node whose distributions are halved. */
__global__ void observe(const Node *nodes, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float half[Q];
    for (int q = 0; q < Q; ++q)
        half[q] = 0.5f * nodes[i].f[q];
    out[i] = density(nodes[i].f) + density(half);
}

static void reference(Node *&nodes, Node *&next, int nx, int ny, int nz, float omega)
{
    int n = nx * ny * nz;
    for (int i = 0; i < n; ++i) {
        next[i] = nodes[i];
        for (int q = 0; q < Q; ++q)
            next[i].f[q] = nodes[neighbour(i, q, nx, ny, nz)].f[q];
        if (next[i].solid)
            continue;
        float rho = density(next[i].f), u[3];
        velocity(next[i].f, rho, u);
        for (int q = 0; q < Q; ++q)
            next[i].f[q] += omega * (equilibrium(q, rho, u) - next[i].f[q]);
        push(next[i].f, next[i].force);
    }
    Node *swapped = nodes;
    nodes = next;
    next = swapped;
}

static unsigned seed = 12345u;

static float next_number(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0f;
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 13, ny = argc > 2 ? atoi(argv[2]) : 6;
    int nz = argc > 3 ? atoi(argv[3]) : 5, steps = argc > 4 ? atoi(argv[4]) : 6;
    int n = nx * ny * nz, blocks = (n + 127) / 128;
    float omega = 1.2f;
    Node *host = (Node *)calloc(n + 1, sizeof(Node)), *expected = (Node *)calloc(n + 1, sizeof(Node));
    Node *spare = (Node *)calloc(n + 1, sizeof(Node));
    float *seen = (float *)calloc(n + 1, sizeof(float));
    for (int i = 0; i < n; ++i) {
        for (int q = 0; q < Q; ++q)
            host[i].f[q] = weight(q) * (1.0f + 0.1f * next_number());
        for (int axis = 0; axis < 3; ++axis)
            host[i].force[axis] = 1e-3f * next_number();
        host[i].solid = next_number() < 0.1f;
        expected[i] = host[i];
    }
    Node *nodes, *next;
    float *moments;
    CHECK(cudaMalloc(&nodes, (n + 1) * sizeof(Node)));
    CHECK(cudaMalloc(&next, (n + 1) * sizeof(Node)));
    CHECK(cudaMalloc(&moments, (n + 1) * sizeof(float)));
    CHECK(cudaMemcpy(nodes, host, n * sizeof(Node), cudaMemcpyHostToDevice));
    for (int t = 0; t < steps && n > 0; ++t) {
        stream<<<blocks, 128>>>(nodes, next, nx, ny, nz);
        collide<<<blocks, 128>>>(next, n, omega);
        Node *swapped = nodes;
        nodes = next;
        next = swapped;
        reference(expected, spare, nx, ny, nz, omega);
    }
    if (n > 0)
        observe<<<blocks, 128>>>(nodes, moments, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, nodes, n * sizeof(Node), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(seen, moments, n * sizeof(float), cudaMemcpyDeviceToHost));
    double f = 0.0, force = 0.0, moment = 0.0, worst = 0.0;
    long solid = 0;
    for (int i = 0; i < n; ++i) {
        for (int q = 0; q < Q; ++q) {
            f += host[i].f[q] * (1 + (i + q) % 7);
            worst = fmax(worst, fabs(host[i].f[q] - expected[i].f[q]));
        }
        for (int axis = 0; axis < 3; ++axis)
            force += host[i].force[axis] * (1 + (i + axis) % 5);
        solid += (long)host[i].solid * (1 + i % 3);
        moment += seen[i] * (1 + i % 11);
        worst = fmax(worst, fabs(seen[i] - 1.5f * density(expected[i].f)));
    }
    printf("f %.5f force %.7f solid %ld moments %.5f\n", f, force, solid, moment);
    printf("%s\n", worst < 1e-4 ? "PASSED" : "FAILED");
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(next));
    CHECK(cudaFree(moments));
    free(host);
    free(expected);
    free(spare);
    free(seen);
    return worst < 1e-4 ? 0 : 1;
}
