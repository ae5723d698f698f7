// Gather: four of the eight fields of elements in index order, three fields of the own one written.
#include <cstdio>
#include <cstdlib>

struct Star {
  float x, y, z, m;
  float fx, fy, fz;
  int id;
};

__global__ void k2_gather(Star *p, const int *nb, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sx = 0.0f, sy = 0.0f, sz = 0.0f;
  float xi = p[i].x, yi = p[i].y, zi = p[i].z;
  for (int k = 0; k < degree; ++k) {
    int j = nb[k * n + i];
    float dx = p[j].x - xi, dy = p[j].y - yi, dz = p[j].z - zi;
    float w = p[j].m * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    sx += dx * w;
    sy += dy * w;
    sz += dz * w;
  }
  p[i].fx = sx;
  p[i].fy = sy;
  p[i].fz = sz;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 500, degree = 6;
  size_t bytes = n * sizeof(Star);
  Star *h = (Star *)malloc(bytes);
  int *hn = (int *)malloc(n * degree * sizeof(int));
  for (int i = 0; i < n; ++i) {
    h[i].x = (i * 37 % 101) * 0.5f;
    h[i].y = (i * 53 % 103) * 0.25f;
    h[i].z = (i * 71 % 107) * 0.125f;
    h[i].m = 1.0f + i % 3;
    h[i].fx = h[i].fy = h[i].fz = 0.0f;
    h[i].id = i;
    for (int k = 0; k < degree; ++k) hn[k * n + i] = (i * 31 + k * 17) % n;
  }
  Star *d;
  int *dn;
  cudaMalloc((void **)&d, bytes);
  cudaMalloc((void **)&dn, n * degree * sizeof(int));
  cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dn, hn, n * degree * sizeof(int), cudaMemcpyHostToDevice);
  k2_gather<<<(n + 127) / 128, 128>>>(d, dn, n, degree);
  cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += h[i].fx + 2.0 * h[i].fy + 3.0 * h[i].fz + h[i].id;
  printf("%.4f\n", sum);
  cudaFree(d);
  cudaFree(dn);
  free(h);
  free(hn);
  return 0;
}
