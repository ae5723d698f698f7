// nx changes between the allocation and the launch: the kernel works on a coarser grid in the same memory.
// Report: at the assignment, naming the pragma.
#include <stdio.h>
#include <stdlib.h>

__global__ void step(const float *f, float *g, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < nx && y < ny)
        g[y*nx + x] = 0.5f * f[y*nx + x] + 1.0f;
}

int main() {
    int nx = 37, ny = 11, n = nx * ny;
    float *h = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) h[i] = i % 13;
    #pragma layoutc grid d_f[ny][nx]
    float *d_f;
    float *d_g;
    cudaMalloc(&d_f, nx * ny * sizeof(float));
    cudaMalloc(&d_g, nx * ny * sizeof(float));
    cudaMemcpy(d_f, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_g, h, n * sizeof(float), cudaMemcpyHostToDevice);
    nx = nx / 2; //~ extent nx
    for (int s = 0; s < 3; s++) {
        step<<<dim3((nx + 31) / 32, ny), 32>>>(d_f, d_g, nx, ny);
        float *t = d_f; d_f = d_g; d_g = t;
    }
    cudaMemcpy(h, d_f, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_f);
    cudaFree(d_g);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (i % 7 + 1) * h[i];
    printf("%.6f\n", sum);
    free(h);
    return 0;
}
