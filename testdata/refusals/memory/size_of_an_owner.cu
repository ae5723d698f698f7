//@ layout = "* = tiled(32)"
// With a deleter that has no members the library's owner is as large as a pointer, and so is the handle of a tiled array.
#include <cuda_runtime.h>
#include <memory>
struct P { float x, y; };
struct Free { void operator()(P *p) const { cudaFree(p); } };
struct Sim { std::unique_ptr<P, Free> particles; };
static_assert(sizeof(Sim) == sizeof(void *), "small"); //~ LC0078 the size of the object that holds the array would change
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    Sim sim;
    P *p;
    cudaMalloc(&p, 64 * sizeof(P));
    sim.particles.reset(p);
    step<<<1, 64>>>(sim.particles.get(), 64);
    return 0;
}
