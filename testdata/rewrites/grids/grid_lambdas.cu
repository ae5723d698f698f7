//@ layout = "A = [y/4, x/8, y%4, x%8]"
#include <cuda_runtime.h>
// The extents are arguments of every access and copy: in a lambda they need a name.
#pragma layoutc grid A[ny][nx]
__global__ void smooth(float *A, float *B, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx || y >= ny)
        return;
    auto copied = [=] { return A[y * nx + x]; };
    auto referred = [&] { return A[y > 0 ? (y - 1) * nx + x : y * nx + x]; };
    auto listed = [A, x, y, nx] { return A[y * nx + x]; };
    B[y * nx + x] = copied() + referred() + listed();
}
int main() {
    int nx = 37, ny = 11;
    float h[407], *A, *B;
    for (int i = 0; i < 407; i++) h[i] = i;
    auto allocate = [&] {
        cudaMalloc(&A, nx * ny * sizeof(float));
        cudaMalloc(&B, nx * ny * sizeof(float));
    };
    allocate();
    auto upload = [&] { cudaMemcpy(A, h, nx * ny * sizeof(float), cudaMemcpyHostToDevice); };
    upload();
    smooth<<<dim3(2, ny), 32>>>(A, B, nx, ny);
    cudaMemcpy(h, B, nx * ny * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(A), cudaFree(B);
}
