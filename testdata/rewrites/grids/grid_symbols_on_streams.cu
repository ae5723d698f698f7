//@ layouts = ["A = [y/4, x/8, y%4, x%8]"]
#include <cuda_runtime.h>
#include <stdio.h>
#define NX 20
#define NY 6
__device__ float A[NY][NX];

__global__ void scale(float by) {
    for (int y = 0; y < NY; y++)
        A[y][threadIdx.x] = A[y][threadIdx.x] * by + A[NY - 1 - y][threadIdx.x];
}
int main() {
    static float h[NY][NX];
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            h[y][x] = x + 100.0f * y;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyToSymbolAsync(A, h, sizeof(A), 0, cudaMemcpyHostToDevice, stream);
    scale<<<1, NX, 0, stream>>>(0.5f);
    cudaMemcpyFromSymbolAsync(h, A, sizeof(h), 0, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(stream);
    cudaMemcpyFromSymbolAsync(h, A, sizeof(h), 0, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("%g %g\n", h[1][2], h[5][19]);
    cudaStreamDestroy(stream);
    return 0;
}
