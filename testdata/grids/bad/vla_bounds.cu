// The last index is 4, and the extent is 4.
// Report: at the access, the index 4 and the extent 4.
#include <stdio.h>
#include <stdlib.h>

__global__ void step(int ny, int nx, float f[ny][nx][4], float g[ny][nx][4]) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < nx && y < ny - 1)
        g[y][x][0] = 0.5f * f[y][x][4]; //~ bounds 4
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
        step<<<dim3((nx + 31) / 32, ny), 32>>>(ny, nx, d_f, d_g);
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
