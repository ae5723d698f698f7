//@ layout = "Particle = tiled(32)"
struct ParticleTile {
  float x[32], y[32], z[32], vx[32], vy[32], vz[32], m[32];
  int id[32];
};

__global__ void k1_update(ParticleTile *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i >> 5].x[i & 31] += p[i >> 5].vx[i & 31] * dt;
  p[i >> 5].y[i & 31] += p[i >> 5].vy[i & 31] * dt;
  p[i >> 5].z[i & 31] += p[i >> 5].vz[i & 31] * dt;
  p[i >> 5].vx[i & 31] *= p[i >> 5].m[i & 31];
  p[i >> 5].vy[i & 31] *= p[i >> 5].m[i & 31];
  p[i >> 5].vz[i & 31] *= p[i >> 5].m[i & 31];
}
