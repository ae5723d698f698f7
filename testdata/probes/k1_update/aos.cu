// In-place update: seven of the eight fields of a 32-byte record, statement by statement.
#include <cstdio>
#include <cstdlib>

struct Particle {
  float x, y, z;
  float vx, vy, vz;
  float m;
  int id;
};

__global__ void k1_update(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
  p[i].z += p[i].vz * dt;
  p[i].vx *= p[i].m;
  p[i].vy *= p[i].m;
  p[i].vz *= p[i].m;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  size_t bytes = n * sizeof(Particle);
  Particle *h = (Particle *)malloc(bytes);
  for (int i = 0; i < n; ++i) {
    h[i].x = i * 0.5f;
    h[i].y = i * 0.25f;
    h[i].z = i * 0.125f;
    h[i].vx = 1.0f + i % 3;
    h[i].vy = 2.0f + i % 5;
    h[i].vz = 3.0f + i % 7;
    h[i].m = 0.5f + 0.25f * (i % 2);
    h[i].id = i;
  }
  Particle *d;
  cudaMalloc((void **)&d, bytes);
  cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
  k1_update<<<(n + 127) / 128, 128>>>(d, n, 0.5f);
  cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += h[i].x + h[i].y + h[i].z + h[i].vx + h[i].vy + h[i].vz + h[i].m + h[i].id;
  }
  printf("%.6f\n", sum);
  cudaFree(d);
  free(h);
  return 0;
}
