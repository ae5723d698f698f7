/* The device pointer is a member of a struct: a host-side context, and a handle that kernels take by value. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, v;
    int wall;
} Bead;

typedef struct {
    Bead *beads;
    int count;
    float dt;
} World;

static void try_cuda(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

__global__ void slide(World w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w.count) return;
    w.beads[i].x += w.dt * w.beads[i].v;
    if (w.beads[i].x > 8.0f) {
        w.beads[i].x = 16.0f - w.beads[i].x;
        w.beads[i].v = -w.beads[i].v;
        w.beads[i].wall++;
    }
}

__global__ void brake(Bead *beads, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) beads[i].v *= 0.5f;
}

static void world_create(World *w, const Bead *beads, int count)
{
    w->count = count;
    w->dt = 0.25f;
    try_cuda(cudaMalloc((void **)&w->beads, count * sizeof(Bead)), "create");
    try_cuda(cudaMemcpy(w->beads, beads, count * sizeof(Bead), cudaMemcpyHostToDevice), "upload");
}

static void world_read(const World *w, Bead *beads)
{
    try_cuda(cudaMemcpy(beads, w->beads, w->count * sizeof(Bead), cudaMemcpyDeviceToHost), "download");
}

static void world_destroy(World *w)
{
    try_cuda(cudaFree(w->beads), "destroy");
    w->beads = NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1) { printf("empty world\nPASSED\n"); return 0; }
    Bead *beads = (Bead *)malloc(n * sizeof(Bead));
    Bead *ref = (Bead *)malloc(n * sizeof(Bead));
    for (int i = 0; i < n; i++) {
        beads[i].x = (float)(i % 8);
        beads[i].v = 0.5f * (i % 9) - 1.0f;
        beads[i].wall = 0;
        ref[i] = beads[i];
    }

    World world;
    world_create(&world, beads, n);
    int blocks = (n + 127) / 128;
    for (int step = 0; step < 12; step++) {
        slide<<<blocks, 128>>>(world);
        if (step % 4 == 3) brake<<<blocks, 128>>>(world.beads, world.count);
        try_cuda(cudaGetLastError(), "step");
    }
    world_read(&world, beads);
    world_destroy(&world);

    int bad = 0, walls = 0;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        for (int step = 0; step < 12; step++) {
            ref[i].x += 0.25f * ref[i].v;
            if (ref[i].x > 8.0f) { ref[i].x = 16.0f - ref[i].x; ref[i].v = -ref[i].v; ref[i].wall++; }
            if (step % 4 == 3) ref[i].v *= 0.5f;
        }
        bad += beads[i].x != ref[i].x || beads[i].v != ref[i].v || beads[i].wall != ref[i].wall;
        walls += beads[i].wall;
        sum += (i % 7 + 1) * (beads[i].x + 2.0 * beads[i].v);
    }
    printf("%d beads, %d walls, %.6f\n%s\n", n, walls, sum, bad ? "FAILED" : "PASSED");
    free(beads);
    free(ref);
    return bad ? 1 : 0;
}
