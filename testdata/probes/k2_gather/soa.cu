//@ layout = "Star = soa"
struct StarArrays {
  float *x, *y, *z, *m, *fx, *fy, *fz;
  int *id;
};

__global__ void k2_gather(StarArrays p, const int *nb, int n, int degree) {
  float *__restrict__ x = p.x;
  float *__restrict__ y = p.y;
  float *__restrict__ z = p.z;
  float *__restrict__ m = p.m;
  float *__restrict__ fx = p.fx;
  float *__restrict__ fy = p.fy;
  float *__restrict__ fz = p.fz;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sx = 0.0f, sy = 0.0f, sz = 0.0f;
  float xi = x[i], yi = y[i], zi = z[i];
  for (int k = 0; k < degree; ++k) {
    int j = nb[k * n + i];
    float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
    float w = m[j] * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    sx += dx * w;
    sy += dy * w;
    sz += dz * w;
  }
  fx[i] = sx;
  fy[i] = sy;
  fz[i] = sz;
}
