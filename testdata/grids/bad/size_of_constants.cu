// 8 * 16 * 4 declared, 8 * 16 * 3 allocated.
// Report: at the allocation, both products, naming the pragma.
#include <stdio.h>
#include <stdlib.h>

__global__ void step(float *f) {
    int x = threadIdx.x;
    int y = blockIdx.x;
    if (x < 16)
        for (int k = 0; k < 3; k++)
            f[(y*16 + x)*3 + k] *= 0.5f;
}

int main() {
    const int n = 8 * 16 * 3;
    float h[n];
    for (int i = 0; i < n; i++) h[i] = i % 13;
    #pragma layoutc grid d_f[8][16][4]
    float *d_f;
    cudaMalloc(&d_f, 8 * 16 * 3 * sizeof(float)); //~ size 512
    cudaMemcpy(d_f, h, n * sizeof(float), cudaMemcpyHostToDevice);
    step<<<8, 32>>>(d_f);
    cudaMemcpy(h, d_f, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_f);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (i % 7 + 1) * h[i];
    printf("%.6f\n", sum);
    return 0;
}
