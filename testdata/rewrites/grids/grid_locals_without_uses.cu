//@ layout = "A = [y/4, x/8, y%4, x%8]"
#include <cuda_runtime.h>
// A local that only indexed the array is deleted, or marked where other text may mean it.
__global__ void s(float *A, float *B, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx || y >= ny)
        return;
    const int a = y * nx, b = y * nx + x, c = a + x - nx; // three
    int d = b;  // d
    const int e = b, f = c;
    const int up = b - nx;
    const int g = up;
    if (y > 0) { int h = b; B[b] += A[f] + A[c] + A[h] + A[g]; }
    B[b] += A[d];
    B[b] += A[e];
#if 0
    B[e] = 1;
#endif
    switch (ny) { case 1: int w; w = b; B[b] += A[w]; }
}
int main() {
    int nx = 37, ny = 11;
    float h[407], *A, *B;
    for (int i = 0; i < 407; i++) h[i] = i;
    cudaMalloc(&A, nx * ny * sizeof(float));
    cudaMalloc(&B, nx * ny * sizeof(float));
    cudaMemcpy(A, h, nx * ny * sizeof(float), cudaMemcpyHostToDevice);
    s<<<dim3(2, ny), 32>>>(A, B, nx, ny);
    cudaMemcpy(h, B, nx * ny * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(A), cudaFree(B);
}
