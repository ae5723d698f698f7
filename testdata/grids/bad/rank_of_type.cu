// The type has three dimensions, the pragma two.
// Report: at the pragma, naming the type.
#include <stdio.h>
#include <stdlib.h>

#define NX 37
#define NY 11
#define NZ 3

#pragma layoutc grid f[NY][NX] //~ rank f
__global__ void step(const float (*f)[NY][NX], float (*g)[NY][NX]) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    for (int z = 0; z < NZ; z++)
        if (x < NX)
            g[z][y][x] = 0.5f * f[z][y][x] + z;
}

static float h[NZ][NY][NX];

int main() {
    for (int i = 0; i < NZ * NY * NX; i++) h[i / (NY * NX)][i / NX % NY][i % NX] = i % 13;
    float (*d_f)[NY][NX], (*d_g)[NY][NX];
    cudaMalloc(&d_f, sizeof(h));
    cudaMalloc(&d_g, sizeof(h));
    cudaMemcpy(d_f, h, sizeof(h), cudaMemcpyHostToDevice);
    step<<<dim3((NX + 31) / 32, NY), 32>>>(d_f, d_g);
    cudaMemcpy(h, d_g, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d_f);
    cudaFree(d_g);
    double sum = 0.0;
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) sum += (x % 7 + z) * h[z][y][x];
    printf("%.6f\n", sum);
    return 0;
}
