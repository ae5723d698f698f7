//@ layout = "f = [z, y/4, x, y%4]"
#include <cuda_runtime.h>
#define NX 20
#define NY 6
__device__ void add(float (&plane)[NY][NX]) { //~ LC0028 extents are not followed
    plane[1][threadIdx.x] += 1.0f;
}
__global__ void k(float (*f)[NY][NX]) {
    f[1][2][threadIdx.x] = 1.0f;
    add(f[2]);
}
int main() {
    float (*f)[NY][NX];
    cudaMalloc(&f, 3 * sizeof(*f));
    k<<<1, NX>>>(f);
    cudaFree(f);
}
