// Managed memory: the host fills, sorts, reads and changes the array that kernels work on, with functions for the host,
// for the device and for both.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

struct Bead {
    float x, y, z;
    int bonds[2];
    double charge;
    char kind;
};

__host__ __device__ inline float norm(const Bead &b)
{
    return b.x * b.x + b.y * b.y + b.z * b.z;
}

__host__ __device__ void push(Bead *beads, int i, float by)
{
    beads[i].x += by;
    beads[i].charge -= by;
}

__host__ __device__ void mirror(Bead &b)
{
    b.y = -b.y;
    b.kind ^= 1;
}

__global__ void relax(Bead *beads, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int left = beads[i].bonds[0], right = beads[i].bonds[1];
        push(beads, i, 0.25f);
        mirror(beads[i]);
        beads[i].z += 0.001f * (left - right) + norm(beads[i]) * 1e-6f;
    }
}

static void fill(Bead *beads, int n)
{
    Bead *b = beads;
    for (int i = 0; i < n; i++) {
        b->x = i;
        b->y = 0.5f * (i % 7);
        b->z = -i;
        b->bonds[0] = i > 0 ? i - 1 : 0;
        b->bonds[1] = i + 1 < n ? i + 1 : i;
        b->charge = 1.0 / (i + 1);
        b->kind = 'a' + i % 5;
        b++;
    }
}

// The heaviest charges last, by insertion of whole elements.
static void sort(Bead *beads, int n)
{
    for (int i = 1; i < n; i++) {
        Bead key = beads[i];
        int at = i;
        while (at > 0 && beads[at - 1].charge > key.charge) {
            beads[at] = beads[at - 1];
            at--;
        }
        beads[at] = key;
    }
}

static float farthest(const Bead *beads, int n)
{
    float found = 0.0f;
    for (int i = 0; i < n; ++i)
        found = norm(beads[i]) > found ? norm(beads[i]) : found;
    return found;
}

static int swaps = 0;

static void exchange(Bead &a, Bead &b)
{
    Bead kept = a;
    a = b;
    b = kept;
    swaps++;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 500;
    const size_t bytes = n * sizeof(Bead);
    Bead *beads;
    CHECK(cudaMallocManaged(&beads, bytes));
    fill(beads, n);
    relax<<<(n + 63) / 64, 64>>>(beads, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    sort(beads, n);
    push(beads, n - 1, 0.5f);
    mirror(beads[n / 2]);
    exchange(beads[0], *(beads + n - 1));
    relax<<<(n + 63) / 64, 64>>>(beads, n);
    CHECK(cudaDeviceSynchronize());

    // A second array: filled in whole and in part, copied on the host and by the runtime.
    Bead *spare = NULL;
    CHECK(cudaMallocManaged((void **)&spare, 2 * bytes, cudaMemAttachGlobal));
    CHECK(cudaMemset(spare, 0, 2 * bytes));
    if (n > 1)
        CHECK(cudaMemset(spare + 1, 3, sizeof(Bead)));
    for (int i = 0; i < n; i++)
        spare[n + i] = beads[n - 1 - i];
    CHECK(cudaMemcpy(spare, beads, (n / 2) * sizeof(Bead), cudaMemcpyDeviceToDevice));
    Bead last;
    CHECK(cudaMemcpy(&last, &beads[n - 1], sizeof(Bead), cudaMemcpyDeviceToHost));
    last.kind = 'z';
    CHECK(cudaMemcpy(spare + n, &last, sizeof(Bead), cudaMemcpyHostToDevice));

    double sum = 0.0;
    for (int i = 0; i < 2 * n; i++) {
        const Bead &b = spare[i];
        sum += (i % 3 + 1) * (b.x + 2.0 * b.y - b.z + b.bonds[0] + 3 * b.bonds[1] + b.charge + b.kind);
    }
    printf("%d beads, %.6f, farthest %.3f, %d swaps, first kind %d\n", n, sum, farthest(beads, n), swaps, beads->kind);
    CHECK(cudaFree(beads));
    CHECK(cudaFree(spare));
    return 0;
}
