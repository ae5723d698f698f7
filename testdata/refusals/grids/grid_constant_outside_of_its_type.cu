//@ layout = "f = [z, y/4, x, y%4]"
#include <cuda_runtime.h>
#define NX 20
#define NY 6
__global__ void k(float (*f)[NY][NX]) {
    f[1][NY][threadIdx.x] = 1.0f; //~ LC0066 the index is 6 here, and its extent 6
}
int main() {
    float (*f)[NY][NX];
    cudaMalloc(&f, 3 * sizeof(*f));
    k<<<1, NX>>>(f);
    cudaFree(f);
}
