//@ layout = "f = [y/4, x/16, y%4, x%16]"
#include <cuda_runtime.h>
// The end of one row and the start of the next are neighbours by number, and not in the plane.
__global__ void k(float *f, float *g, int nx, int ny) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny - 1)
        return;
    int x = i % nx, y = i / nx;
    g[i] = f[i + 1] + x + y; //~ LC0067 nothing proves that `x + 1` in the index `i + 1` stays inside its extent `nx`; add a guard, or use `--assume in-bounds` or a `#pragma layoutc grid` accepts it
}
int main() {
    int nx = 37, ny = 11;
    float *f, *g;
    cudaMalloc(&f, nx * ny * sizeof(float));
    cudaMalloc(&g, nx * ny * sizeof(float));
    k<<<7, 64>>>(f, g, nx, ny);
    cudaFree(f);
    cudaFree(g);
}
