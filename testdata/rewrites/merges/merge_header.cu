//@ layout = "u + v = aos"
#include "merge_kernels.cuh"
int main()
{
    int n = 100, *at;
    float *u, *v;
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    cudaMalloc(&u, n * sizeof(float));
    cudaMalloc(&v, n * sizeof(float));
    gather<<<1, 128>>>(u, v, at, n);
    cudaFree(u);
    cudaFree(v);
    return 0;
}
//- merge_kernels.cuh
#define HALF 0.5f
__global__ void gather(float *u, const float *v, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[at[i]] += HALF * v[at[i]];
}
