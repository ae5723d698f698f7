// The type says 37 columns, the pragma 40.
// Report: at the pragma, naming the type.
#include <stdio.h>
#include <stdlib.h>

#define NX 37
#define NY 11

#pragma layoutc grid A[NY][40] //~ rank A
__device__ float A[NY][NX];

__global__ void fill() {
    int x = threadIdx.x;
    int y = blockIdx.x;
    if (x < NX)
        A[y][x] = x + 100 * y;
}

static float h[NY][NX];

int main() {
    fill<<<NY, 64>>>();
    cudaMemcpyFromSymbol(h, A, sizeof(h));
    double sum = 0.0;
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) sum += (x % 7 + 1) * h[y][x];
    printf("%.6f\n", sum);
    return 0;
}
