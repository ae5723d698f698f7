#include "sph.h"

namespace {

__device__ float distance2(const Particle &a, const Particle &b) {
  const float dx = a.x - b.x;
  const float dy = a.y - b.y;
  return dx * dx + dy * dy;
}

__device__ void clearAcceleration(Particle *p, float gravity) {
  p->ax = 0.0f;
  p->ay = p->fixed ? 0.0f : -gravity;
}

// The push and drag of particle `other` on particle `self`.
__device__ float2 interact(const Particle *self, const Particle &other, const Settings &s) {
  const float dx = self->x - other.x;
  const float dy = self->y - other.y;
  const float r = sqrtf(dx * dx + dy * dy);
  if (r >= s.h || r < 1e-6f) return make_float2(0.0f, 0.0f);
  const float w = steepness(r, s.h) / (s.h * s.h * s.h);
  const float push = s.mass * (self->pressure + other.pressure) / (2.0f * self->density * other.density) * w / r;
  const float drag = s.viscosity * s.mass / (self->density * other.density) * (s.h - r);
  return make_float2(push * dx + drag * (other.vx - self->vx), push * dy + drag * (other.vy - self->vy));
}

}  // namespace

__global__ void computeDensity(Particle *particles, int count, const int *first, const int *list, Settings s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = smooth(0.0f, s.h);
  for (int k = first[i]; k < first[i + 1]; k++) {
    int j = list[k];
    sum += smooth(distance2(particles[i], particles[j]), s.h);
  }
  const float h8 = s.h * s.h * s.h * s.h * s.h * s.h * s.h * s.h;
  particles[i].density = s.mass * 1.2732395f / h8 * sum;
  particles[i].pressure = fmaxf(0.0f, s.stiffness * (particles[i].density - s.rest_density));
}

__global__ void computeForces(Particle *particles, int count, const int *first, const int *list, Settings s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Particle *self = &particles[i];
  clearAcceleration(self, s.gravity);
  if (self->fixed) return;
  float ax = 0.0f, ay = 0.0f;
  for (int k = first[i]; k < first[i + 1]; k++) {
    const Particle &other = particles[list[k]];
    const float2 a = interact(self, other, s);
    ax += a.x;
    ay += a.y;
  }
  self->ax += ax;
  self->ay += ay;
}

__global__ void advance(Particle *particles, int count, Settings s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Particle &p = particles[i];
  if (p.fixed) return;
  p.vx += p.ax * s.dt;
  p.vy += p.ay * s.dt;
  p.x += p.vx * s.dt;
  p.y += p.vy * s.dt;
}
