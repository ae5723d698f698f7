// A column that was read from memory may be any.
// Report: at the access, the index `column[x]` and what would accept it.
#include <stdio.h>
#include <stdlib.h>

__global__ void step(const float *f, float *g, const int *column, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < nx && y < ny) {
        g[y*nx + x] = f[y*nx + column[x]]; //~ unproven column
    }
}

int main() {
    int nx = 37, ny = 11, n = nx * ny;
    float *h = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) h[i] = i % 13;
    float *d_f, *d_g;
    cudaMalloc(&d_f, nx * ny * sizeof(float));
    cudaMalloc(&d_g, nx * ny * sizeof(float));
    cudaMemcpy(d_f, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_g, h, n * sizeof(float), cudaMemcpyHostToDevice);
    int *column = (int *)malloc(nx * sizeof(int)), *d_column;
    for (int x = 0; x < nx; x++) column[x] = (5 * x + 3) % nx;
    cudaMalloc(&d_column, nx * sizeof(int));
    cudaMemcpy(d_column, column, nx * sizeof(int), cudaMemcpyHostToDevice);
    for (int s = 0; s < 3; s++) {
        step<<<dim3((nx + 31) / 32, ny), 32>>>(d_f, d_g, d_column, nx, ny);
        float *t = d_f; d_f = d_g; d_g = t;
    }
    cudaMemcpy(h, d_f, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_f);
    cudaFree(d_g);
    cudaFree(d_column);
    free(column);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (i % 7 + 1) * h[i];
    printf("%.6f\n", sum);
    free(h);
    return 0;
}
