// One array of numbers: there is nothing that could lie in another way.
#include <cuda_runtime.h>

__global__ void scale(float *f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f[i] *= 2;
}

int main() {
    float *f;
    cudaMalloc(&f, 1024 * sizeof(float));
    scale<<<4, 256>>>(f, 1024);
    return cudaDeviceSynchronize();
}
