// Host arrays in the layout of the device's (`--host native`): every way to allocate them, whole and partial copies,
// host code that fills, sorts, sums and moves elements; a vector stays as it is, and its copies convert.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

#define RELEASE(p)    \
    do {              \
        if (p)        \
            free(p);  \
        p = NULL;     \
    } while (0)

struct Grain {
    float x, y, z;
    int links[2];
    double mass;
    char kind;
};

// Made by a constructor and by initializers of members.
struct Probe {
    Probe() : at(-1) {}
    int at;
    float value = 2.5f;
    double weight = 0.5;
};

struct Heap {
    Grain *grains;
    int n;
};

__global__ void settle(Grain *g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        g[i].x += 0.5f * g[i].kind;
        g[i].y -= g[i].z;
        g[i].links[1] += g[i].links[0];
        g[i].mass *= 1.5;
    }
}

__global__ void measure(Probe *p, const Grain *g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].at += i;
        p[i].value += g[i].x;
        p[i].weight *= g[i].mass;
    }
}

static void fill(Grain *grains, int n, int seed)
{
    for (int i = 0; i < n; i++) {
        Grain &g = grains[i];
        g.x = (i * 7 + seed) % 13;
        g.y = 0.25f * i;
        g.z = seed;
        g.links[0] = i;
        g.links[1] = n - i;
        g.mass = 1.0 / (1 + i % 5);
        g.kind = (char)(i % 3);
    }
}

static double sum(const Grain *grains, int n)
{
    double total = 0;
    for (const Grain *g = grains; g != grains + n; ++g)
        total += g->x + 2 * g->y + 3 * g->z + g->links[0] - 5 * g->links[1] + g->mass + g->kind;
    return total;
}

static double first(const Grain &g)
{
    return g.x + g.mass;
}

static void sort(Grain *g, int n)
{
    for (int i = 1; i < n; i++) {
        Grain key = g[i];
        int at = i;
        while (at > 0 && g[at - 1].x > key.x) {
            g[at] = g[at - 1];
            at--;
        }
        g[at] = key;
    }
}

static Grain table[60];

static Grain *make(int n)
{
    return new Grain[n]();
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 200;
    const size_t bytes = n * sizeof(Grain);
    const int blocks = (n + 63) / 64;

    Grain *made = new Grain[n + 1];
    Grain *back = static_cast<Grain *>(std::malloc(bytes));
    Grain *zeros = (Grain *)calloc(n + 40, sizeof(Grain));
    Grain *empty = make(n);
    Grain *pinned, *mapped = nullptr;
    CHECK(cudaMallocHost((void **)&pinned, bytes + sizeof(Grain)));
    CHECK(cudaHostAlloc(&mapped, 2 * bytes + sizeof(Grain), cudaHostAllocDefault));
    Heap heap = {NULL, n};
    heap.grains = new Grain[2 * n];
    if (back == NULL || !zeros)
        return 1;

    Grain *d_grains, *d_more;
    CHECK(cudaMalloc(&d_grains, bytes));
    CHECK(cudaMalloc((void **)&d_more, 2 * bytes));
    fill(made, n, 3);
    CHECK(cudaMemcpy(d_grains, made, bytes, cudaMemcpyHostToDevice));
    settle<<<blocks, 64>>>(d_grains, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, d_grains, bytes, cudaMemcpyDeviceToHost));
    printf("%.6g %.6g %.6g\n", sum(made, n), sum(back, n), sum(empty, n));

    // Through pinned memory on a stream, in two halves.
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    const int half = n / 2;
    fill(pinned, n, 5);
    CHECK(cudaMemcpyAsync(d_grains, pinned, half * sizeof(Grain), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_grains + half, pinned + half, (n - half) * sizeof(Grain), cudaMemcpyHostToDevice, stream));
    settle<<<blocks, 64, 0, stream>>>(d_grains, n);
    CHECK(cudaMemcpyAsync(mapped + n, d_grains, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    memcpy(mapped, mapped + n, bytes);
    printf("%.6g\n", sum(mapped, 2 * n));

    // Parts that start and end anywhere; what lies around them stays.
    memset(back, 0, bytes);
    if (n > 40) {
        memset(back + 3, 1, 2 * sizeof(Grain));
        CHECK(cudaMemcpy(back + 5, d_grains + 2, (n - 37) * sizeof(Grain), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&back[33], d_grains + 1, 7 * sizeof(*back), cudaMemcpyDeviceToHost));
        memcpy(zeros + 1, back + 34, 5 * sizeof(Grain));
        memcpy(&zeros[n], &back[n - 1], sizeof(Grain));
        Grain one = back[7];
        one.kind = 'q';
        zeros[8] = one;
        memcpy(&zeros[9], &one, sizeof one);
        CHECK(cudaMemcpy(d_grains + 3, zeros + 1, 9 * sizeof(Grain), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_more, zeros, (n + 1) * sizeof(Grain), cudaMemcpyDefault));
        CHECK(cudaMemcpy(d_more + n, d_more, bytes, cudaMemcpyDeviceToDevice));
        settle<<<2 * blocks, 64>>>(d_more, 2 * n);
        CHECK(cudaMemcpy(heap.grains, d_more, 2 * bytes, cudaMemcpyDeviceToHost));
        printf("%.6g %.6g %.6g\n", sum(heap.grains, heap.n), sum(heap.grains + heap.n, heap.n), first(heap.grains[11]));
    }
    printf("%.6g %.6g\n", sum(back, n), sum(zeros, n + 40));

    CHECK(cudaMemcpy(empty, d_grains, bytes, cudaMemcpyDeviceToHost));
    sort(empty, n);
    Grain *swapped = empty;
    empty = made;
    made = swapped;
    printf("%.6g %.6g %d\n", sum(made, n), sum(empty, n), n > 0 ? made[n / 2].links[0] : -1);

    // Elements with constructors.
    Probe *probes = new Probe[n];
    Probe *d_probes;
    CHECK(cudaMalloc(&d_probes, n * sizeof(Probe)));
    CHECK(cudaMemcpy(d_probes, probes, n * sizeof(Probe), cudaMemcpyHostToDevice));
    measure<<<blocks, 64>>>(d_probes, d_grains, n);
    CHECK(cudaMemcpy(probes, d_probes, n * sizeof(Probe), cudaMemcpyDeviceToHost));
    double total = 0;
    for (int i = 0; i < n; i++)
        total += probes[i].at + probes[i].value * probes[i].weight;
    printf("%.6g\n", total);

    // Arrays that are objects of the host.
    Grain few[50];
    memset(few, 0, sizeof few);
    CHECK(cudaMemcpy(few + 1, d_grains, (n < 40 ? n : 40) * sizeof(Grain), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(table + 30, d_more, (n < 30 ? n : 30) * sizeof(Grain), cudaMemcpyDeviceToHost));
    few[49] = few[2];
    printf("%.6g %.6g %d\n", sum(few, sizeof(few) / sizeof(few[0])), n > 40 ? sum(table, 60) : 0.0, few[49].links[0]);

    // A container owns its elements.
    std::vector<Grain> kept(n);
    CHECK(cudaMemcpy(kept.data(), d_grains, kept.size() * sizeof(Grain), cudaMemcpyDeviceToHost));
    double heavy = 0;
    for (const Grain &g : kept)
        heavy += g.mass;
    printf("%.6g\n", heavy);

    RELEASE(back);
    RELEASE(zeros);
    delete[] made;
    delete[] empty;
    delete[] heap.grains;
    delete[] probes;
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFree(d_grains));
    CHECK(cudaFree(d_more));
    CHECK(cudaFree(d_probes));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
