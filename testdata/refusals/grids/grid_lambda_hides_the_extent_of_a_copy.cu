//@ layout = "A = [y/4, x/8, y%4, x%8]"
#include <cuda_runtime.h>
__global__ void smooth(float *A, float *B, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx || y >= ny)
        return;
    const int here = y * nx + x;

    B[here] = A[here] + A[y > 0 ? here - nx : here];
}
int main() {
    int nx = 37, ny = 11;
    float h[407], *A, *B;
    for (int i = 0; i < 407; i++) h[i] = i;
    cudaMalloc(&A, nx * ny * sizeof(float));
    cudaMalloc(&B, nx * ny * sizeof(float));
    auto upload = [&h, &A](int n) { cudaMemcpy(A, h, n * sizeof(float), cudaMemcpyHostToDevice); }; //~ LC0069 an extent of the grid has no name here yet
    upload(nx * ny);
    smooth<<<dim3(2, ny), 32>>>(A, B, nx, ny);
    cudaMemcpy(h, B, nx * ny * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(A), cudaFree(B);
}
