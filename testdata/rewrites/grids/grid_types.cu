//@ layouts = ["f = [z, y/4, x/8, y%4, x%8]", "A = [z/2, y, x, z%2]"]
#include <cuda_runtime.h>
#include <stdio.h>
#define NX 20
#define NY 6
const int NZ = 3;
typedef float Layer[NY][NX];

__device__ float A[NZ][NY][NX];

__global__ void scale(const Layer *f, float by);

// The whole array, of which the type knows the extents.
__global__ void fill(float (*__restrict__ f)[NY][NX]) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    if (x < NX && y < NY)
        f[z][y][x] = x + 100.0f * y + 1e4f * z;
}
__global__ void scale(const Layer *f, float by) {
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            A[z][y][threadIdx.x] = f[z][y][threadIdx.x] * by + (*f)[y][threadIdx.x] + A[z][NY - 1 - y][threadIdx.x];
}
// Linear, and of any number of values.
__global__ void shift(float *p, int n) {
    float (*f)[NY][NX] = (float (*)[NY][NX])p;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        f[0][0][i] += 1.0f;
}
int main() {
    static float h[NZ][NY][NX];
    Layer *f, *next;
    cudaMalloc((void **)&f, NZ * sizeof(*f));
    cudaMalloc(&next, NZ * sizeof(Layer));
    cudaMemset(next, 0, sizeof(h));
    cudaMemcpyToSymbol(A, h, sizeof(A));
    fill<<<NZ, dim3(32, 8)>>>(f);
    shift<<<1, 64>>>((float *)f, NZ * NY * NX);
    shift<<<1, 64>>>(&next[0][0][0], sizeof(f[0][0]) / sizeof(float));
    Layer *t = f;
    f = next;
    next = t;
    scale<<<1, NX>>>(next, 0.5f);
    cudaMemcpy(h, next, NZ * sizeof next[0], cudaMemcpyDeviceToHost);
    printf("%g\n", h[1][2][3]);
    cudaMemcpyFromSymbol(h, A, sizeof(h));
    printf("%g %zu\n", h[1][2][3], sizeof(A));
    cudaFree(f);
    cudaFree(next);
    return 0;
}
