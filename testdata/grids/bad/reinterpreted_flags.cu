// The last value of a cell holds bits, read through a pointer of another type to its first. (A pointer to
// the one value that is read would be right in any layout.)
// Report: at the cast; the grid keeps its layout.
#include <stdio.h>
#include <stdlib.h>

__global__ void step(const float *f, float *g, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < nx && y < ny) {
        unsigned int bits = ((const unsigned int *)&f[(y*nx + x)*4])[3]; //~ cast f
        if (bits & 1u)
            g[(y*nx + x)*4] = 0.5f * f[(y*nx + x)*4];
    }
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
