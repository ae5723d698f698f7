// The types know the extents: A[1][NX] is A[2][0] to the machine, and undefined to the language.
// Report: at the access, the index 37 and the extent 37; the grid keeps its layout.
#include <stdio.h>
#include <stdlib.h>

#define NX 37
#define NY 11

__device__ float A[NY][NX];

__global__ void fill() {
    int x = threadIdx.x;
    int y = blockIdx.x;
    if (x < NX)
        A[y][x] = x + 100 * y;
}

__global__ void carry() {
    A[1][0] = A[1][NX]; //~ bounds 37
}

static float h[NY][NX];

int main() {
    fill<<<NY, 64>>>();
    carry<<<1, 1>>>();
    cudaMemcpyFromSymbol(h, A, sizeof(h));
    double sum = 0.0;
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) sum += (x % 7 + 1) * h[y][x];
    printf("%.6f\n", sum);
    return 0;
}
