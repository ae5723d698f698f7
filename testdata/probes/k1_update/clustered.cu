//@ layout = "Particle = {x y z m} align(16), {vx vy vz}, {id}"
struct __align__(16) Position {
  float x, y, z, m;
};
struct Velocity {
  float vx, vy, vz;
};
struct ParticleClusters {
  Position *position;
  Velocity *velocity;
  int *id;
};

__global__ void k1_update(ParticleClusters p, int n, float dt) {
  Position *__restrict__ position = p.position;
  Velocity *__restrict__ velocity = p.velocity;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  position[i].x += velocity[i].vx * dt;
  position[i].y += velocity[i].vy * dt;
  position[i].z += velocity[i].vz * dt;
  velocity[i].vx *= position[i].m;
  velocity[i].vy *= position[i].m;
  velocity[i].vz *= position[i].m;
}
