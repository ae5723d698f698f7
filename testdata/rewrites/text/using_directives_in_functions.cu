//@ layouts = ["Cell = tiled(32)"]
// Each function says which `Cell` it means.
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
void one(int n) {
    using namespace first;
    Cell h[8] = {};
    Cell *d;
    cudaMalloc(&d, n * sizeof(Cell));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[1].a);
    cudaFree(d);
}
int main() {
    using namespace second;
    Cell h[8] = {};
    Cell *d;
    cudaMalloc(&d, 8 * sizeof(Cell));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, 8);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[1].a);
    cudaFree(d);
    one(8);
    return 0;
}
