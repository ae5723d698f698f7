//@ layout = "Particle = aos align(16)"
// nvcc merges the members of an aligned record into two 128-bit loads by itself.
struct __align__(16) Particle {
  float x, y, z, vx, vy, vz, m;
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
