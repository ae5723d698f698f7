//@ layout = "u = [y/4, x/16, y%4, x%16]"
#include <cuda_runtime.h>
// The rows of `w` are copied one by one, so it stays: what serves both is written twice. `c` follows `u`.
__global__ void smooth(const float *in, float *out, int nx, int ny);
__device__ float around(const float *f, int y, int x, int nx) { return f[y * nx + x - 1] + f[y * nx + x + 1]; }
static void sweep(const float *from, float *to, int nx, int ny) {
    smooth<<<dim3((nx + 31) / 32, ny), 32>>>(from, to, nx, ny);
}
__global__ void smooth(const float *in, float *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || x >= nx - 1 || y >= ny)
        return;
    out[y * nx + x] = 0.5f * around(in, y, x, nx);
}
int main() {
    int nx = 37, ny = 11, cx = 19, cy = 6;
    float h[407], *u, *c, *w, *to;
    for (int i = 0; i < 407; i++) h[i] = i * 3 + 1;
    cudaMalloc(&u, nx * ny * sizeof(float));
    cudaMalloc(&c, cx * cy * sizeof(float));
    cudaMalloc(&w, nx * ny * sizeof(float));
    cudaMalloc(&to, nx * ny * sizeof(float));
    cudaMemcpy(u, h, nx * ny * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(c, h, cx * cy * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy2D(w, nx * sizeof(float), h, nx * sizeof(float), nx * sizeof(float), ny, cudaMemcpyHostToDevice);
    sweep(u, to, nx, ny);
    sweep(w, to, nx, ny);
    smooth<<<dim3(1, cy), 32>>>(c, to, cx, cy);
    cudaMemcpy(h, to, nx * ny * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(u), cudaFree(c), cudaFree(w), cudaFree(to);
}
