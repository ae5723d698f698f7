//@ layout = "u = [y/4, x/16, y%4, x%16]"
#include <cuda_runtime.h>
// `w` has to stay, since its rows are copied one by one; so each kernel that it shares with `u` would have
// to be there twice.
#define RUN(kernel, a) kernel<<<dim3(3, ny), 16>>>(a, nx, ny)
__global__ void k(float *f, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (y < ny && x < nx)
        f[y * nx + x] += 1;
}
int main() {
    int nx = 37, ny = 11;
    float h[407], *u, *w;
    cudaMalloc(&u, nx * ny * sizeof(float));
    cudaMalloc(&w, nx * ny * sizeof(float));
    cudaMemcpy2D(w, nx * sizeof(float), h, nx * sizeof(float), nx * sizeof(float), ny, cudaMemcpyHostToDevice); //~ LC0069 `cudaMemcpy2D` has no form for grids
    RUN(k, u);
    RUN(k, w);
    cudaFree(u);
    cudaFree(w);
}
