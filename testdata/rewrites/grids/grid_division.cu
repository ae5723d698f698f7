//@ layout = "f = [z, y/4, x/16, y%4, x%16]"
#include <cuda_runtime.h>
// Coordinates by division, neighbours by number; a layer's walls are their own neighbours.
__global__ void step(const float *f, float *g, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny * nz)
        return;
    int x = i % nx;
    int y = (i / nx) % ny;
    int z = i / (nx * ny);
    if (z == 0 || z == nz - 1)
        return;
    int w = (x == 0) ? i : i - 1;
    int e = x < nx - 1 ? i + 1 : i - x;
    g[i] = f[i] + f[w] + f[e] + f[y > 0 ? i - nx : i] + f[i - nx * ny] + f[i + nx * ny];
}
__global__ void column(const float *f, float *g, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx || y >= ny)
        return;
    int c = y * nx + x, n = (y == 0) ? c : c - nx;
    for (int z = 0; z < nz; z++) {
        g[c] = f[n];
        c += nx * ny;
        n += nx * ny;
    }
}
__global__ void rest(const float *f, float *g, int nx, int ny, int nz) {
    const int plane = nx * ny;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < plane * nz; i += gridDim.x * blockDim.x) {
        const int z = i / plane, r = i - z * plane, y = r / nx, x = r - y * nx;
        if (x > 0 && y > 0)
            g[i] = f[i - 1] + f[i - nx];
    }
}
int main() {
    int nx = 37, ny = 11, nz = 3;
    float h[1221], *f, *g;
    for (int i = 0; i < 1221; i++) h[i] = i * 3 + 1;
    cudaMalloc(&f, nx * ny * nz * sizeof(float));
    cudaMalloc(&g, nx * ny * nz * sizeof(float));
    cudaMemcpy(f, h, nx * ny * nz * sizeof(float), cudaMemcpyHostToDevice);
    step<<<20, 64>>>(f, g, nx, ny, nz);
    column<<<dim3(2, ny), 32>>>(f, g, nx, ny, nz);
    rest<<<2, 64>>>(f, g, nx, ny, nz);
    cudaMemcpy(h, g, nx * ny * nz * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(f), cudaFree(g);
}
