//@ layout = "f = [z, y/4, x/4, y%4, x%4]"
#include <cuda_runtime.h>
#define AT(z, y, x) ((z) * (ny) * (nx) + (y) * (nx) + (x))
#define AT2(x, y) (x) + nx * (y)
__global__ void k(float *f, float *g, int nx, int ny) {
    int i = threadIdx.x, j = blockIdx.x, k = blockIdx.y;
    if (i < nx && j < ny) { g[AT(k, j, i)] = f[AT(k, j, i)] + f[(i) + nx * (j + ny * k)] + f[(i) - nx * (-j - ny * k)];
    g[AT(k, j, i)] += f[AT2(i, j)] * (i & 3 + 4) + ((i) & nx + 1);
    }
}
int main() {
    int nx = 37, ny = 5, nz = 4, n = nx * ny * nz;
    float h[740], *f, *g;
    for (int i = 0; i < n; i++) h[i] = i * 3 + 1;
    cudaMalloc(&f, (n) * sizeof(float)); cudaMalloc(&g, sizeof(float) * n);
    cudaMemcpy(f, h, sizeof(float) * n, cudaMemcpyHostToDevice);
    cudaMemset(g, 0, sizeof(float)*(ny) *(nx)*nz);
    k<<<dim3(ny, nz), nx>>>(f, g, nx, ny);
    cudaMemcpy(h, g, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(f); cudaFree(g);
}
