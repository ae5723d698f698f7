// Types with names that other code likes to use for its variables: `value`, `error`, `chunk`, `Index`,
// `row`. Types nested in elements, packed elements, and a kernel that hides a member's type.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                         \
    do {                                                                    \
        cudaError_t status_ = (call);                                       \
        if (status_ != cudaSuccess) {                                       \
            std::fprintf(stderr, "%s\n", cudaGetErrorString(status_));      \
            std::exit(1);                                                   \
        }                                                                   \
    } while (0)
#define height 3
#define kind_of(x) (x)

typedef double value;
typedef float error;
typedef float real;

struct Cell {
    value a;
    int k;
    error e;
};

struct chunk {
    float x;
    int count;
};

class Index {
    int at;

  public:
    int size;
    __host__ __device__ Index() : at(0), size(1) {}
    __host__ __device__ void advance(int by) { at += by * size; }
    __host__ __device__ int position() const { return at; }
};

struct row {
    int n, p;
    float width;
};

namespace sim {
struct Agent {
    enum Mood { CALM, ANGRY };
    enum class Kind : unsigned char { WALKER, RUNNER };
    typedef short energy;
    Mood mood;
    Kind kind;
    energy left;
    real x[2];
};
} // namespace sim

#pragma pack(push, 1)
struct Wire {
    char tag;
    int id;
    double v;
};
#pragma pack(pop)
static_assert(sizeof(Wire) == 13, "packed");

struct Pair {
    real x, y;
};

__global__ void cells(Cell *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Cell own = c[i];
        own.a += own.k * 0.5;
        own.e += 1.0f;
        c[i] = own;
    }
}

__global__ void chunks(chunk *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i].x += c[i].count;
        c[i].count++;
    }
}

__global__ void indices(Index *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        q[i].size += i;
        q[i].advance(2);
        Index copy = q[i];
        copy.advance(1);
        q[i] = copy;
    }
}

__global__ void rows(row *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        row own = r[i];
        own.width += own.n * own.p;
        r[i] = own;
    }
}

__global__ void agents(sim::Agent *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (a[i].mood == sim::Agent::ANGRY)
            a[i].left -= 3;
        if (a[i].kind == sim::Agent::Kind::RUNNER)
            a[i].x[1] += a[i].x[0];
        sim::Agent own = a[i];
        own.mood = sim::Agent::CALM;
        a[i] = own;
    }
}

__global__ void wires(Wire *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i].v += w[i].id * w[i].tag;
}

// The number of pairs hides the type of their members.
__global__ void pairs(Pair *p, int real) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < real)
        p[i].x += p[i].y;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? std::atoi(argv[1]) : 77;
    size_t cell_bytes = n * sizeof(Cell), chunk_bytes = n * sizeof(chunk);
    size_t index_bytes = n * sizeof(Index), row_bytes = n * sizeof(row);
    size_t agent_bytes = n * sizeof(sim::Agent), wire_bytes = n * sizeof(Wire);
    size_t pair_bytes = n * sizeof(Pair);
    Cell *h_cells = (Cell *)std::calloc(n + 1, sizeof(Cell));
    chunk *h_chunks = (chunk *)std::calloc(n + 1, sizeof(chunk));
    Index *h_indices = new Index[n + 1];
    row *h_rows = (row *)std::calloc(n + 1, sizeof(row));
    sim::Agent *h_agents = (sim::Agent *)std::calloc(n + 1, sizeof(sim::Agent));
    Wire *h_wires = (Wire *)std::calloc(n + 1, sizeof(Wire));
    Pair *h_pairs = (Pair *)std::calloc(n + 1, sizeof(Pair));
    for (int i = 0; i < n; i++) {
        h_cells[i].k = i % 11;
        h_chunks[i].x = 0.25f * i;
        h_chunks[i].count = i % 5;
        h_rows[i].n = i % 7;
        h_rows[i].p = i % 3;
        h_agents[i].mood = i % 2 ? sim::Agent::ANGRY : sim::Agent::CALM;
        h_agents[i].kind = i % 3 ? sim::Agent::Kind::RUNNER : sim::Agent::Kind::WALKER;
        h_agents[i].left = (short)(i % 100);
        h_agents[i].x[0] = i;
        h_wires[i].tag = (char)(i % 9);
        h_wires[i].id = i;
        h_wires[i].v = 0.5 * i;
        h_pairs[i].x = i;
        h_pairs[i].y = 2;
    }
    Cell *d_cells;
    chunk *d_chunks;
    Index *d_indices;
    row *d_rows;
    sim::Agent *d_agents;
    Wire *d_wires;
    Pair *d_pairs;
    CHECK(cudaMalloc(&d_cells, cell_bytes));
    CHECK(cudaMalloc(&d_chunks, chunk_bytes));
    CHECK(cudaMalloc(&d_indices, index_bytes));
    CHECK(cudaMalloc(&d_rows, row_bytes));
    CHECK(cudaMalloc(&d_agents, agent_bytes));
    CHECK(cudaMalloc(&d_wires, wire_bytes));
    CHECK(cudaMalloc(&d_pairs, pair_bytes));
    CHECK(cudaMemset(d_cells, 0, cell_bytes));
    CHECK(cudaMemset(&d_chunks[0], 1, chunk_bytes));
    CHECK(cudaMemcpy(d_cells, h_cells, cell_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&d_chunks[0], h_chunks, chunk_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_indices, h_indices, index_bytes, cudaMemcpyHostToDevice));
    if (n >= height)
        CHECK(cudaMemcpy2D(&*d_rows, height * sizeof(row), h_rows, height * sizeof(row),
                           height * sizeof(row), n / height, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_rows + 0, h_rows, row_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_agents, h_agents, agent_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_wires, h_wires, wire_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_pairs, h_pairs, pair_bytes, cudaMemcpyHostToDevice));
    int blocks = n / 32 + 1;
    cells<<<blocks, 32>>>(d_cells, n);
    chunks<<<blocks, 32>>>(&d_chunks[0], n);
    indices<<<blocks, 32>>>(d_indices, n);
    rows<<<blocks, 32>>>(d_rows, n);
    agents<<<blocks, 32>>>(d_agents, n);
    wires<<<blocks, 32>>>(d_wires, n);
    pairs<<<blocks, 32>>>(d_pairs, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_cells, d_cells, cell_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_chunks, &*d_chunks, chunk_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_indices, d_indices, index_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_rows, &(d_rows[0]), row_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_agents, d_agents, agent_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_wires, d_wires, wire_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_pairs, d_pairs, pair_bytes, cudaMemcpyDeviceToHost));
    bool passed = true;
    double sums[7] = {0};
    for (int i = 0; i < n; i++) {
        const Cell &c = h_cells[i];
        passed = passed && c.k == i % 11 && c.a == c.k * 0.5 && c.e == 1.0f;
        sums[0] += c.a + c.k + c.e;
        passed = passed && h_chunks[i].count == i % 5 + 1 && h_chunks[i].x == 0.25f * i + i % 5;
        sums[1] += h_chunks[i].x + h_chunks[i].count;
        passed = passed && h_indices[i].position() == 3 * (1 + i) && h_indices[i].size == 1 + i;
        sums[2] += h_indices[i].position() + h_indices[i].size;
        passed = passed && h_rows[i].width == (i % 7) * (i % 3);
        sums[3] += h_rows[i].n + h_rows[i].p + h_rows[i].width;
        const sim::Agent &a = h_agents[i];
        passed = passed && a.mood == sim::Agent::CALM && a.left == i % 100 - (i % 2 ? 3 : 0);
        passed = passed && a.x[0] == i && a.x[1] == (i % 3 ? i : 0);
        sums[4] += a.left + a.x[0] + a.x[1] + (int)a.kind;
        passed = passed && h_wires[i].v == 0.5 * i + i * (i % 9);
        sums[5] += h_wires[i].v + h_wires[i].id + h_wires[i].tag;
        passed = passed && h_pairs[i].x == i + 2.0f;
        sums[6] += h_pairs[i].x + h_pairs[i].y;
    }
    for (int i = 0; i < 7; i++)
        std::printf("sum %d: %.3f\n", i, kind_of(sums[i]));
    cudaFree(d_cells);
    cudaFree(d_chunks);
    cudaFree(d_indices);
    cudaFree(d_rows);
    cudaFree(d_agents);
    cudaFree(d_wires);
    cudaFree(d_pairs);
    std::free(h_cells);
    std::free(h_chunks);
    delete[] h_indices;
    std::free(h_rows);
    std::free(h_agents);
    std::free(h_wires);
    std::free(h_pairs);
    std::printf(passed ? "PASSED\n" : "FAILED\n");
    return passed ? 0 : 1;
}
