//@ layout = "f = [z, y/4, x, y%4]"
#include <cuda_runtime.h>
#define NX 20
#define NY 6
__global__ void k(float (*f)[NY][NX], int z) {
    float *row = f[z][1]; //~ LC0026 `f[z][1]` points into the grid, and coordinates count from its start
    row[threadIdx.x] += f[z][0][threadIdx.x];
}
int main() {
    float (*f)[NY][NX];
    cudaMalloc(&f, 3 * sizeof(*f));
    k<<<1, NX>>>(f, 1);
    cudaFree(f);
}
