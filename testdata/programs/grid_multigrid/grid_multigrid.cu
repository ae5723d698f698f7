/* Poisson's equation on a square by two grids: relaxation on the fine one, a correction from the coarse
 * one. The same kernels and helper functions serve both grids, which have other extents.
 *
 * usage: grid_multigrid [nx] [ny] [cycles]
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
  fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void relax(const float *u, const float *f, float *out, int nx, int ny, float h2);

__device__ void store(float *to, int y, int x, int nx, float value)
{
  to[y * nx + x] = value;
}

/* two sweeps: there and back */
static cudaError_t sweeps(float *u, const float *f, float *work, int nx, int ny, float h2)
{
  const dim3 grid((nx + 63) / 64, ny);
  relax<<<grid, 64>>>(u, f, work, nx, ny, h2);
  relax<<<grid, 64>>>(work, f, u, nx, ny, h2);
  return cudaGetLastError();
}

__global__ void relax(const float *u, const float *f, float *out, int nx, int ny, float h2)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x >= nx || y >= ny)
    return;
  if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1) {
    store(out, y, x, nx, 0.0f);
    return;
  }
  float sum = u[y * nx + x - 1] + u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x];
  float next = 0.25f * (sum - h2 * f[y * nx + x]);
  store(out, y, x, nx, 0.2f * u[y * nx + x] + 0.8f * next);
}

/* what is left of the right side, at every other point */
__global__ void restrictTo(const float *u, const float *f, float *right, int nx, int ny, int cx, int cy, float h2)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y;
  if (i >= cx || j >= cy)
    return;
  float left = 0.0f;
  if (i > 0 && i < cx - 1 && j > 0 && j < cy - 1) {
    int x = 2 * i, y = 2 * j;
    if (x < nx - 1 && y < ny - 1)
      left = f[y * nx + x] - (u[y * nx + x - 1] + u[y * nx + x + 1] + u[(y - 1) * nx + x]
                              + u[(y + 1) * nx + x] - 4.0f * u[y * nx + x]) / h2;
  }
  right[j * cx + i] = left;
}

/* the correction, and the mean of neighbours between points of the coarse grid */
__global__ void prolong(const float *e, float *u, int nx, int ny, int cx, int cy)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  int i = x / 2, j = y / 2;
  int k = min(i + x % 2, cx - 1), l = min(j + y % 2, cy - 1);
  if (i < cx && j < cy)
    u[y * nx + x] += 0.25f * (e[j * cx + i] + e[j * cx + k] + e[l * cx + i] + e[l * cx + k]);
}

int main(int argc, char **argv)
{
  int nx = 33, ny = 29, cycles = 4;
  if (argc > 1) nx = ny = atoi(argv[1]);
  if (argc > 2) ny = atoi(argv[2]);
  if (argc > 3) cycles = atoi(argv[3]);
  if (nx < 1 || ny < 1 || cycles < 0) {
    fprintf(stderr, "usage: %s [nx] [ny] [cycles]\n", argv[0]);
    return 2;
  }
  const int cx = (nx + 1) / 2, cy = (ny + 1) / 2;
  const size_t bytes = (size_t)nx * ny * sizeof(float), few = (size_t)cx * cy * sizeof(float);
  float *host = (float *)malloc(bytes), *h = (float *)malloc(bytes);
  for (int i = 0; i < nx * ny; i++)
    host[i] = (float)((i * 31 + 7) % 23) - 11.0f;

  float *fine, *f, *work, *coarse, *right, *rest;
  CHECK(cudaMalloc((void **)&fine, bytes));
  CHECK(cudaMalloc((void **)&f, bytes));
  CHECK(cudaMalloc((void **)&work, bytes));
  CHECK(cudaMalloc((void **)&coarse, few));
  CHECK(cudaMalloc((void **)&right, few));
  CHECK(cudaMalloc((void **)&rest, few));
  CHECK(cudaMemcpy(f, host, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(fine, 0, bytes));
  const dim3 all((nx + 63) / 64, ny), every((cx + 63) / 64, cy);
  for (int c = 0; c < cycles; c++) {
    CHECK(sweeps(fine, f, work, nx, ny, 1.0f));
    restrictTo<<<every, 64>>>(fine, f, right, nx, ny, cx, cy, 1.0f);
    CHECK(cudaMemset(coarse, 0, few));
    for (int s = 0; s < 3; s++)
      CHECK(sweeps(coarse, right, rest, cx, cy, 4.0f));
    prolong<<<all, 64>>>(coarse, fine, nx, ny, cx, cy);
    CHECK(cudaGetLastError());
    CHECK(sweeps(fine, f, work, nx, ny, 1.0f));
  }
  double sum = 0.0, weighted = 0.0;
  CHECK(cudaMemcpy(h, fine, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < nx * ny; i++) {
    sum += h[i];
    weighted += h[i] * (i % 17 + 1);
  }
  printf("fine %.8e %.8e\n", sum, weighted);
  sum = weighted = 0.0;
  CHECK(cudaMemcpy(h, coarse, few, cudaMemcpyDeviceToHost));
  for (int i = 0; i < cx * cy; i++) {
    sum += h[i];
    weighted += h[i] * (i % 13 + 1);
  }
  CHECK(cudaMemcpy(h, right, few, cudaMemcpyDeviceToHost));
  for (int i = 0; i < cx * cy; i++)
    sum += h[i] * (i % 5);
  printf("coarse %.8e %.8e\n", sum, weighted);
  CHECK(cudaFree(fine));
  CHECK(cudaFree(f));
  CHECK(cudaFree(work));
  CHECK(cudaFree(coarse));
  CHECK(cudaFree(right));
  CHECK(cudaFree(rest));
  free(host);
  free(h);
  return 0;
}
