//@ layout = "out = [y/4, x/8, y%4, x%8]"
// A row whose length is not known is not followed.
#include <cuda_runtime.h>
__host__ __device__ constexpr int odd(int n) { int k = n; return k | 1; }
constexpr int W = odd(8);
__global__ void rows(float *out, int ny, int nx) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float (*g)[W] = (float (*)[W])out; //~ LC0077 this construct is not modelled
    if (x < nx && y < ny) out[y * nx + x] = g[y][1];
}
int main() {
    float *out;
    int nx = 64, ny = 64;
    cudaMalloc(&out, ny * nx * sizeof(float));
    rows<<<dim3(1, ny), 64>>>(out, ny, nx);
}
