//@ layouts = ["Cell = tiled(32)", "Cell = soa"]
// Both namespaces have a `Cell` and a `step`: the using-directive says which are meant.
#include <cstdio>
namespace first {
struct Cell { float a, b, c; };
__global__ void step(Cell *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].a += 1;
}
}  // namespace first
namespace second {
struct Cell { float a, b, c; };
__global__ void step(Cell *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].a += 2;
}
}  // namespace second
using namespace second;
int main() {
    const int n = 100;
    Cell h[n] = {};
    Cell *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[1].a);
    cudaFree(d);
    return 0;
}
