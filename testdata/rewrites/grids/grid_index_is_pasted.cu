//@ layout = "f = [y/4, x/4, y%4, x%4]"
#include <cuda_runtime.h>
#define ROW(a) a##At
__global__ void k(float *f, int nx, int ny) {
    int x = threadIdx.x, y = blockIdx.x;
    int ROW(f) = y * nx + x;
    if (x < nx && y < ny)
        f[ROW(f)] += x;
}
int main() {
    int nx = 7, ny = 5;
    float *f;
    cudaMalloc(&f, nx * ny * sizeof(float));
    k<<<ny, nx>>>(f, nx, ny);
    cudaFree(f);
}
