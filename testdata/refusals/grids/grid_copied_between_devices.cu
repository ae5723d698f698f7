//@ layout = "u = [y/4, x/16, y%4, x%16]"
#include <cuda_runtime.h>
__global__ void step(float *u, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    u[y * nx + x] += 1.0f;
}
int main() {
    int nx = 100, ny = 50;
    float *u, *v;
    cudaMalloc(&u, nx * ny * sizeof(float));
    cudaMalloc(&v, nx * ny * sizeof(float));
    step<<<dim3(4, 7), dim3(32, 8)>>>(v, nx, ny);
    cudaMemcpyPeer(u, 0, v, 0, nx * ny * sizeof(float)); //~ LC0069 `cudaMemcpyPeer` has no form for grids
    step<<<dim3(4, 7), dim3(32, 8)>>>(u, nx, ny);
    cudaFree(u);
    cudaFree(v);
    return 0;
}
