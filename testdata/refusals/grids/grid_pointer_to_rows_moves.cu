//@ layout = "f = [z, y/4, x, y%4]"
#include <cuda_runtime.h>
#define NX 20
#define NY 6
__global__ void k(float (*f)[NY][NX], int n) {
    for (int z = 0; z < n; z++) {
        f[0][1][threadIdx.x] += 1.0f;
        f++; //~ LC0069 a pointer to rows is moved //~ LC0077 this construct is not modelled
    }
}
int main() {
    float (*f)[NY][NX];
    cudaMalloc(&f, 3 * sizeof(*f));
    k<<<1, NX>>>(f, 3);
    cudaFree(f);
}
