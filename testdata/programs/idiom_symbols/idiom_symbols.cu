// Arrays at file scope in device memory, copied by name and found by their address, and device pointers at file scope
// that the host sets.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

#define WIDTH 10

struct Site {
    float spin;
    double field[2];
    short age;
    unsigned char owner;
    float weights[2][3];
};

struct Lattice {
    Site *sites;
    int n;
};

__device__ Site board[WIDTH * 7 + 1];
static __device__ Site edge[5];
__device__ Site *current;
__constant__ Site *fixed;
__constant__ Lattice lattice;

__device__ void age(Site *sites, int i, int by)
{
    sites[i].age += by;
    sites[i].weights[i % 2][i % 3] += sites[i].spin;
}

__device__ float energy(const Site &s)
{
    return s.spin * (float)(s.field[0] - s.field[1]);
}

__global__ void relax(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        board[i].field[i % 2] += 0.5 * edge[i % 5].spin;
        age(board, i, 2);
        age(current, i, 1);
        current[i].spin += energy(board[i]) + fixed[0].spin;
        Site *own = board + i;
        own->owner ^= 3;
        if (i == 0) {
            Site kept = edge[4];
            edge[4] = edge[1];
            edge[1] = kept;
        }
        lattice.sites[i].weights[1][2] -= lattice.n;
    }
}

__global__ void count(const Site *sites, int n, int *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && sites[i].owner % 2 == 1)
        atomicAdd(found, 1);
}

static void fill(Site *sites, int n, int seed)
{
    for (int i = 0; i < n; i++) {
        sites[i].spin = 0.25f * ((i * seed) % 9);
        sites[i].field[0] = i;
        sites[i].field[1] = 0.5 * i;
        sites[i].age = i % 4;
        sites[i].owner = (i * seed) % 250;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 3; b++)
                sites[i].weights[a][b] = a + 0.125f * b;
    }
}

static double checksum(const Site *sites, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const Site &s = sites[i];
        sum += (i % 7 + 1) * (s.spin + s.field[0] + 2 * s.field[1] + 3 * s.age + s.owner);
        sum += s.weights[0][0] + 2 * s.weights[0][1] + 3 * s.weights[0][2] + 4 * s.weights[1][0] + 5 * s.weights[1][1] + 6 * s.weights[1][2];
    }
    return sum;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 2, n = sizeof(board) / sizeof(board[0]);
    Site sites[WIDTH * 7 + 1], few[5];
    fill(sites, n, 3);
    fill(few, 5, 7);
    CHECK(cudaMemcpyToSymbol(board, sites, sizeof(board)));
    CHECK(cudaMemcpyToSymbol(edge, few, sizeof(Site) * 3));
    CHECK(cudaMemcpyToSymbol(edge, few + 3, 2 * sizeof(Site), 3 * sizeof(Site), cudaMemcpyHostToDevice));

    Site *d_a, *d_b;
    CHECK(cudaMalloc(&d_a, n * sizeof(Site)));
    CHECK(cudaMalloc(&d_b, n * sizeof(Site)));
    fill(sites, n, 5);
    CHECK(cudaMemcpy(d_a, sites, n * sizeof(Site), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, sites, n * sizeof(Site), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(fixed, &d_b, sizeof(Site *)));
    Lattice all = {d_b, n};
    CHECK(cudaMemcpyToSymbol(lattice, &all, sizeof(Lattice)));
    int *d_found, found = 0;
    CHECK(cudaMalloc(&d_found, sizeof(int)));
    CHECK(cudaMemset(d_found, 0, sizeof(int)));
    for (int round = 0; round < rounds; round++) {
        Site *now = round % 2 == 0 ? d_a : d_b;
        CHECK(cudaMemcpyToSymbol(current, &now, sizeof(now), 0, cudaMemcpyHostToDevice));
        relax<<<(n + 31) / 32, 32>>>(n);
        Site *start;
        CHECK(cudaGetSymbolAddress((void **)&start, board));
        count<<<(n + 31) / 32, 32>>>(start, n, d_found);
        count<<<(n + 31) / 32, 32>>>(now + 1, n - 1, d_found);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(&found, d_found, sizeof(int), cudaMemcpyDeviceToHost));

    CHECK(cudaMemcpyFromSymbol(sites, board, sizeof(board)));
    printf("board %.4f\n", checksum(sites, n));
    CHECK(cudaMemcpyFromSymbol(few, edge, 4 * sizeof(Site), sizeof(Site)));
    printf("edge %.4f\n", checksum(few, 4));
    Site *last;
    CHECK(cudaMemcpyFromSymbol(&last, current, sizeof(last)));
    CHECK(cudaMemcpy(sites, last, n * sizeof(Site), cudaMemcpyDeviceToHost));
    printf("current %.4f, %d found\n", checksum(sites, n), found);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_found));
    return 0;
}
