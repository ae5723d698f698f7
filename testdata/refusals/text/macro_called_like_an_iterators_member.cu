//@ layout = "* = soa"
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#define at 3
struct P { float x; int live; };
struct Live { __host__ __device__ bool operator()(const P &p) const { return p.live > at; } };
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].live; }
int main() {
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    step<<<1, 64>>>(d, 64);
    int n = thrust::count_if(thrust::device, d, d + 64, Live()); //~ LC0086 an iterator has a member `at`, and a macro is called so
    cudaFree(d);
    return n;
}
