//@ layout = "u = [y/4, x/16, y%4, x%16]"
#include <cuda_runtime.h>
template <int By> __global__ void k(float *f, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (y < ny && x < nx)
        f[y * nx + x] += By;
}
int main() {
    int nx = 37, ny = 11;
    float *u, *w;
    cudaMalloc(&u, nx * ny * sizeof(float));
    cudaMalloc(&w, nx * ny * sizeof(float));
    k<1><<<dim3(3, ny), 16>>>(u, nx, ny);
    k<1><<<dim3(3, ny), 16>>>(w, ny, nx); //~ LC0069 the grid is not shown to be given the same extents here as elsewhere in this function
    cudaFree(u);
    cudaFree(w);
}
