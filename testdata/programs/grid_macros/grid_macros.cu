// Advection of two fields over rows of fixed length and rows of any length; every access goes
// through a macro that holds the array and its index.
//
// usage: grid_macros [columns, at most 48] [rows] [steps]
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 48

#define U(y, x) u[(y) * (WIDTH) + (x)]
#define V(x, y) v[(x) + \
                  nx * (y)]
#define VNEW(x, y) vnew[(x) + nx*(y)]
#define AT(array, number) array[number]
#define EXCHANGE(y, x, rate) do {                         \
        const float moved = (rate) * (U(y, x) - V(x, y)); \
        U(y, x) -= moved;                                 \
        VNEW(x, y) += moved;                              \
    } while (0)

__global__ void step(float *u, const float *v, float *vnew, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= nx || y >= ny || x >= WIDTH)
        return;
    float sum = 2.0f * V(x, y);
    if (x > 0)
        sum += V(x - 1, y);
    if (y + 1 < ny)
        sum += V(x, y + 1);
    VNEW(x, y) = 0.25f * sum;
    U(y, x) = 0.5f * U(y, x) + 0.25f * V(nx - 1 - x, y);
    EXCHANGE(y, x, 0.125f);
}

__global__ void damp(float *u, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        AT(u, i) *= 0.99f;
}

int main(int argc, char **argv)
{
    const int nx = argc > 1 ? atoi(argv[1]) : 45;
    const int ny = argc > 2 ? atoi(argv[2]) : 11;
    const int steps = argc > 3 ? atoi(argv[3]) : 4;
    if (nx < 1 || nx > WIDTH || ny < 1)
        return 1;
    const int count = ny * WIDTH;
    float *u = (float *)malloc(count * sizeof(float));
    float *v = (float *)malloc(sizeof(float) * nx * ny);
    for (int i = 0; i < count; i++)
        u[i] = (i * 37 % 101) * 0.125f;
    for (int i = 0; i < nx * ny; i++)
        v[i] = (i * 53 % 89) * 0.25f;

    float *d_u, *d_v, *d_vnew;
    cudaMalloc(&d_u, count * sizeof(float));
    cudaMalloc(&d_v, sizeof(float) * nx * ny);
    cudaMalloc(&d_vnew, sizeof(float) * nx * ny);
    cudaMemcpy(d_u, u, count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, v, sizeof(float) * nx * ny, cudaMemcpyHostToDevice);
    cudaMemset(d_vnew, 0, sizeof(float) * nx * ny);
    for (int t = 0; t < steps; t++) {
        step<<<dim3((nx + 15) / 16, ny), 16>>>(d_u, d_v, d_vnew, nx, ny);
        damp<<<(count + 63) / 64, 64>>>(d_u, count);
        float *swap = d_v;
        d_v = d_vnew;
        d_vnew = swap;
    }
    cudaMemcpy(u, d_u, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(v, d_v, sizeof(float) * nx * ny, cudaMemcpyDeviceToHost);
    double total = 0.0, weighted = 0.0;
    for (int i = 0; i < count; i++) {
        total += u[i];
        weighted += u[i] * (i % 17);
    }
    for (int i = 0; i < nx * ny; i++) {
        total += v[i];
        weighted += v[i] * (i % 13);
    }
    printf("%.6f %.6f\n", total, weighted);
    cudaFree(d_u);
    cudaFree(d_v);
    cudaFree(d_vnew);
    free(u);
    free(v);
    return 0;
}
