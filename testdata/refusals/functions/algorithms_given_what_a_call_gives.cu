//@ layout = "* = soa"
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
// The start of the range would be asked for twice.
struct P { float x; int live; };
struct Live { __host__ __device__ bool operator()(const P &p) const { return p.live > 0; } };
struct Pool { P *at; int calls; P *start() { ++calls; return at; } };
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].live; }
int main() {
    Pool pool = {nullptr, 0};
    cudaMalloc(&pool.at, 64 * sizeof(P));
    step<<<1, 64>>>(thrust::partition(thrust::device, pool.start(), pool.at + 64, Live()), 2); //~ LC0081 this is evaluated once, and would have to be twice
    cudaFree(pool.at);
    return pool.calls;
}
