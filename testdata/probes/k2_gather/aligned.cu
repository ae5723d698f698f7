//@ layout = "Star = aos align(16)"
struct __align__(16) Star {
  float x, y, z, m, fx, fy, fz;
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
