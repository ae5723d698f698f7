//@ layout = "f = [y/4, x/4, y%4, x%4]"
#include <cuda_runtime.h>
__global__ void k(float *f, float *g, int nx, int ny) {
    int x = threadIdx.x, y = blockIdx.y;
    if (y < 1 || y >= ny || x >= nx) return;
    int x0 = x, z = 0; (z ? z : x) -= 1; g[y * nx + x0] = f[y * nx + x]; //~ LC0067 nothing proves that `x` in the index `y * nx + x` stays inside its extent `nx`; add a guard, or use `--assume in-bounds` or a `#pragma layoutc grid` accepts it
}
int main() {
    int nx = 7, ny = 5, n = nx * ny;
    float h[35], *f, *g;
    for (int i = 0; i < n; i++) h[i] = i * 3 + 1;
    cudaMalloc(&f, n * sizeof(float)); cudaMalloc(&g, n * sizeof(float));
    cudaMemcpy(f, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(g, 0, n * sizeof(float));
    k<<<dim3(1, ny), 8>>>(f, g, nx, ny);
    cudaMemcpy(h, g, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(f); cudaFree(g);
}
