// Extents of 0 and of -4.
// Report: at each pragma, the extent that is not positive.
#include <stdio.h>
#include <stdlib.h>

#pragma layoutc grid f[ny][nx][0] //~ extent 0
#pragma layoutc grid g[ny][nx][-4] //~ extent -4
__global__ void step(const float *f, float *g, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < nx && y < ny)
        for (int q = 0; q < 4; q++)
            g[(y*nx + x)*4 + q] = 0.5f * f[(y*nx + x)*4 + q] + q;
}

int main() {
    int nx = 37, ny = 11, n = nx * ny * 4;
    float *h = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) h[i] = i % 13;
    float *d_f, *d_g;
    cudaMalloc(&d_f, nx * ny * 4 * sizeof(float));
    cudaMalloc(&d_g, nx * ny * 4 * sizeof(float));
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
