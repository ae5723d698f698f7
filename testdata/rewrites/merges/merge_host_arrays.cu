//@ layout = "u + v = aos"
#include "merge_kernels.cuh"
int main()
{
    int n = 100, *at;
    float *u, *v;
    float *host = new float[n], *other = new float[n];
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    cudaMalloc(&u, n * sizeof(float));
    cudaMalloc(&v, n * sizeof(float));
    dim3 threads(n);
    for (int i = 0; i < n; i++)
        host[i] = other[i] = 1.0f;
    cudaMemcpy(u, host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(v, other, n * sizeof(float), cudaMemcpyHostToDevice);
    gather<<<1, threads>>>(u, v, at, n);
    cudaMemcpy(host, u, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(v);
    cudaFree(at);
    delete[] host;
    delete[] other;
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
