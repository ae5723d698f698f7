//@ layout = "f = [z, y/4, x, y%4]"
#include <cuda_runtime.h>
#define NX 20
#define NY 6
__device__ void add(float (&plane)[NY][NX]) { //~ LC0069 arrays of a type with such extents are not followed //~ LC0078 a declaration of this type is not rewritten
    plane[1][threadIdx.x] += 1.0f;
}
__global__ void k(float (*f)[NY][NX]) {
    f[1][2][threadIdx.x] = 1.0f;
    add(f[2]); //~ LC0026 `f[2]` points into the grid, and coordinates count from its start
}
int main() {
    float (*f)[NY][NX];
    cudaMalloc(&f, 3 * sizeof(*f));
    k<<<1, NX>>>(f);
    cudaFree(f);
}
