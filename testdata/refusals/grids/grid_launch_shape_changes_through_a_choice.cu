//@ layout = "f = [y/4, x/4, y%4, x%4]"
#include <cuda_runtime.h>
__global__ void k(float *f, float *g, int nx, int ny) {
    int x = threadIdx.x, y = blockIdx.x;
    if (y * nx + x < nx * ny)
        g[y * nx + x] = f[y * nx + x]; //~ LC0067 nothing proves that `x` in the index `y * nx + x` stays inside its extent `nx`; add a guard, or use `--assume in-bounds` or a `#pragma layoutc grid` accepts it
}
int main() {
    int nx = 7, ny = 5;
    float *f, *g;
    cudaMalloc(&f, nx * ny * sizeof(float));
    cudaMalloc(&g, nx * ny * sizeof(float));
    dim3 b(nx), c(1); (ny ? b : c).x += 2;
    k<<<ny - 1, b>>>(f, g, nx, ny);
    cudaFree(f);
    cudaFree(g);
}
