// At x = nx - 1 the neighbour i + 1 lies in the next row: within the array, but not in the row. Of the
// index alone nothing else can be said.
// Report: at the access, the index i + 1 and what would accept it (`--assume in-bounds`); it may
// also be called out of bounds. With the flag `verify` must find it.
#include <stdio.h>
#include <stdlib.h>

__global__ void step(const float *f, float *g, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < nx && y < ny - 1) {
        int i = y*nx + x;
        g[i] = 0.5f * (f[i] + f[i + 1]); //~ unproven i + 1
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
