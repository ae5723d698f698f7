//@ layout = "f = [y/4, x/16, y%4, x%16]"
#include <cuda_runtime.h>
__global__ void k(float *f, float *g, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (y < 1 || y >= ny || x >= nx)
        return;
    unsigned m = x - 1u;
    g[y * nx + x] = f[y * nx + (int)m]; //~ LC0067 nothing proves that `(int)m` in the index `y * nx + (int)m` stays inside its extent `nx`; add a guard, or use `--assume in-bounds` or a `#pragma layoutc grid` accepts it
}
int main() {
    int nx = 37, ny = 11;
    float *f, *g;
    cudaMalloc(&f, nx * ny * sizeof(float));
    cudaMalloc(&g, nx * ny * sizeof(float));
    k<<<dim3(3, ny), 16>>>(f, g, nx, ny);
    cudaFree(f);
    cudaFree(g);
}
