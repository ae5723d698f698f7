// Double buffering on the host: pointers swapped by hand, by std::swap, and by a helper function.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

struct Automaton {
    int state;
    int age;
    unsigned int neighbours;
};

#define CHECK_CUDA(f)                                                   \
    {                                                                   \
        cudaError_t st = f;                                             \
        if (st != cudaSuccess) {                                        \
            printf("%s: %s\n", #f, cudaGetErrorString(st));             \
            return EXIT_FAILURE;                                        \
        }                                                               \
    }

__global__ void evolve(const Automaton *in, Automaton *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = in[(i + n - 1) % n].state;
    int right = in[(i + 1) % n].state;
    int next = (left + 2 * in[i].state + 3 * right + 1) % 5;
    out[i].state = next;
    out[i].age = next == in[i].state ? in[i].age + 1 : 0;
    out[i].neighbours = (unsigned int)(left * 16 + right);
}

static void flip(Automaton *&a, Automaton *&b)
{
    Automaton *t = a;
    a = b;
    b = t;
}

static std::vector<Automaton> evolveOnHost(const std::vector<Automaton> &in)
{
    const int n = (int)in.size();
    std::vector<Automaton> out(n);
    for (int i = 0; i < n; i++) {
        const int left = in[(i + n - 1) % n].state, right = in[(i + 1) % n].state;
        out[i].state = (left + 2 * in[i].state + 3 * right + 1) % 5;
        out[i].age = out[i].state == in[i].state ? in[i].age + 1 : 0;
        out[i].neighbours = left * 16 + right;
    }
    return out;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;

    std::vector<Automaton> cells(n);
    unsigned int lcg = 5u;
    for (auto &c : cells) {
        lcg = lcg * 1664525u + 1013904223u;
        c.state = (lcg >> 16) % 5;
        c.age = 0;
        c.neighbours = 0;
    }
    std::vector<Automaton> expected = cells;

    Automaton *d_in, *d_out;
    CHECK_CUDA(cudaMalloc((void **)&d_in, n * sizeof(Automaton)))
    CHECK_CUDA(cudaMalloc((void **)&d_out, n * sizeof(Automaton)))
    CHECK_CUDA(cudaMemcpy(d_in, cells.data(), n * sizeof(Automaton), cudaMemcpyHostToDevice))

    const int grid = (n + 255) / 256;
    for (int r = 0; r < rounds && n > 0; r++) {
        evolve<<<grid, 256>>>(d_in, d_out, n);
        Automaton *tmp = d_in;
        d_in = d_out;
        d_out = tmp;

        evolve<<<grid, 256>>>(d_in, d_out, n);
        std::swap(d_in, d_out);

        evolve<<<grid, 256>>>(d_in, d_out, n);
        flip(d_in, d_out);
        CHECK_CUDA(cudaGetLastError())
    }

    CHECK_CUDA(cudaMemcpy(cells.data(), d_in, n * sizeof(Automaton), cudaMemcpyDeviceToHost))
    CHECK_CUDA(cudaFree(d_in))
    CHECK_CUDA(cudaFree(d_out))

    for (int r = 0; r < 3 * rounds; r++) expected = evolveOnHost(expected);
    bool ok = true;
    unsigned int hash = 0;
    for (int i = 0; i < n; i++) {
        ok = ok && cells[i].state == expected[i].state && cells[i].age == expected[i].age &&
             cells[i].neighbours == expected[i].neighbours;
        hash = hash * 33u + cells[i].state;
        hash = hash * 33u + cells[i].age;
        hash = hash * 33u + cells[i].neighbours;
    }
    printf("%d cells after %d steps: %08x\n", n, 3 * rounds, hash);
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
