//@ layout = "Particle = soa"
// Local restrict copies of the pointers say what the compiler knew of the record: fields do not
// overlap. Restrict on the members of the handle would be ignored.
struct ParticleArrays {
  float *x, *y, *z, *vx, *vy, *vz, *m;
  int *id;
};

__global__ void k1_update(ParticleArrays p, int n, float dt) {
  float *__restrict__ x = p.x;
  float *__restrict__ y = p.y;
  float *__restrict__ z = p.z;
  float *__restrict__ vx = p.vx;
  float *__restrict__ vy = p.vy;
  float *__restrict__ vz = p.vz;
  float *__restrict__ m = p.m;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] += vx[i] * dt;
  y[i] += vy[i] * dt;
  z[i] += vz[i] * dt;
  vx[i] *= m[i];
  vy[i] *= m[i];
  vz[i] *= m[i];
}
