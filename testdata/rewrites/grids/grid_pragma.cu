//@ layout = "f = [y/4, x, y%4]"
#include <cuda_runtime.h>
#pragma layoutc grid f[ny + 2][nx + 2] g[ny + 2][nx + 2]
#pragma layoutc grid mean[ny][nx], rest[ny + 2][nx + 2]
__global__ void smooth(const float *f, float *g, float *mean, const float *rest, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y + 1;
    if (x <= nx && y <= ny) {
        int p = nx + 2, i = y * p + x;
        g[i] = 0.25f * (f[i - 1] + f[i + 1] + f[i - p] + f[i + p]) + rest[i];
        mean[(y - 1) * nx + x - 1] += g[i];
    }
}
#pragma layoutc grid f[ny + 2][nx + 2]
__global__ void pick(float *f, const int *column, int nx, int ny) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < ny + 2)
        f[y * (nx + 2) + column[y]] = 0.0f;
}
// The host says what the extents are.
__global__ void scale(float *f, int n, int pitch, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] *= by;
}
void run(const float *host, const int *column, float *mean, int nx, int ny) {
#pragma layoutc grid \
    a[ny + 2][nx + 2] /* the one,
    and */
    #pragma layoutc grid b[ny + 2][nx + 2] // the other
    float *a, *b;
    float *rest;
    const size_t bytes = sizeof(float) * (nx + 2) * (ny + 2);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, (ny + 2) * (nx + 2) * sizeof(float));
    cudaMalloc(&rest, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    for (int step = 0; step < 3; step++) {
        smooth<<<dim3((nx + 31) / 32, ny), 32>>>(a, b, mean, rest, nx, ny);
        scale<<<(nx + 2) * (ny + 2) / 64 + 1, 64>>>(b, (nx + 2) * (ny + 2), nx + 2, 0.5f);
        float *t = a;
        a = b;
        b = t;
    }
    pick<<<1, 64>>>(a, column, nx, ny);
    cudaFree(a);
    cudaFree(b);
    cudaFree(rest);
}
int main() {}
