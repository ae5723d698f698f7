//@ layout = "Star = tiled(32)"
struct StarTile {
  float x[32], y[32], z[32], m[32], fx[32], fy[32], fz[32];
  int id[32];
};

__global__ void k2_gather(StarTile *p, const int *nb, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sx = 0.0f, sy = 0.0f, sz = 0.0f;
  float xi = p[i >> 5].x[i & 31], yi = p[i >> 5].y[i & 31], zi = p[i >> 5].z[i & 31];
  for (int k = 0; k < degree; ++k) {
    int j = nb[k * n + i];
    float dx = p[j >> 5].x[j & 31] - xi, dy = p[j >> 5].y[j & 31] - yi, dz = p[j >> 5].z[j & 31] - zi;
    float w = p[j >> 5].m[j & 31] * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    sx += dx * w;
    sy += dy * w;
    sz += dz * w;
  }
  p[i >> 5].fx[i & 31] = sx;
  p[i >> 5].fy[i & 31] = sy;
  p[i >> 5].fz[i & 31] = sz;
}
