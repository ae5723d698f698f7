//@ layout = "d_f = [y/4, x/4, y%4, x%4]"
#include <cuda_runtime.h>
#define G(p, i) p##_f[(i)]
__global__ void k(float *d_f, int nx, int ny) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < nx && y < ny) {
        d_f[y * nx + x] += 1;
        G(d, y * nx + x) += 2; //~ LC0024 the macro `G` mentions `d_f`
    }
}
int main() {
    int nx = 7, ny = 5;
    float *f;
    cudaMalloc(&f, nx * ny * sizeof(float));
    k<<<ny, nx>>>(f, nx, ny);
    cudaFree(f);
}
