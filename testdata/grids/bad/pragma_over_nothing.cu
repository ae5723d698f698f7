// One pragma stands over a statement, one at the end of a block, one at the end of the file.
// Report: at each, that no declaration follows.
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
    float *d_f, *d_g;
    cudaMalloc(&d_f, nx * ny * sizeof(float));
    cudaMalloc(&d_g, nx * ny * sizeof(float));
    #pragma layoutc grid d_f[ny][nx] //~ name d_f
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
    #pragma layoutc grid d_g[ny][nx] //~ name d_g
}

#pragma layoutc grid d_f[ny][nx] //~ name d_f
