// The velocity set D3Q19 and what is computed of its populations.
#ifndef D3Q19_H
#define D3Q19_H

#include "lattice.h"

__host__ __device__ inline int cx(int q) {
  constexpr int table[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
  return table[q];
}

__host__ __device__ inline int cy(int q) {
  constexpr int table[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
  return table[q];
}

__host__ __device__ inline int cz(int q) {
  constexpr int table[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
  return table[q];
}

__host__ __device__ inline int opposite(int q) {
  if (q == 0) return 0;
  return (q & 1) ? q + 1 : q - 1;
}

__host__ __device__ inline float weight(int q) {
  return q == 0 ? 1.0f / 3.0f : (q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f);
}

__host__ __device__ inline float rho(const float *f) {
  float sum = 0.0f;
  for (int q = 0; q < Q; q++) sum += f[q];
  return sum;
}

__host__ __device__ inline float3 velocity(const float *f) {
  float density = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f;
  for (int q = 0; q < Q; q++) {
    density += f[q];
    x += static_cast<float>(cx(q)) * f[q];
    y += static_cast<float>(cy(q)) * f[q];
    z += static_cast<float>(cz(q)) * f[q];
  }
  return make_float3(x / density, y / density, z / density);
}

__host__ __device__ inline float equilibrium(int q, float density, float3 u) {
  const float cu = static_cast<float>(cx(q)) * u.x + static_cast<float>(cy(q)) * u.y + static_cast<float>(cz(q)) * u.z;
  const float uu = u.x * u.x + u.y * u.y + u.z * u.z;
  return weight(q) * density * (1.0f + 3.0f * cu + 4.5f * cu * cu - 1.5f * uu);
}

__host__ __device__ inline void setEquilibrium(float *f, float density, float3 u) {
  for (int q = 0; q < Q; q++) f[q] = equilibrium(q, density, u);
}

// Relaxation towards equilibrium, with a force along x.
__host__ __device__ inline void collide(Node &node, const Domain &domain) {
  const float density = rho(node.f);
  const float3 u = velocity(node.f);
  for (int q = 0; q < Q; q++) {
    node.f[q] += domain.omega * (equilibrium(q, density, u) - node.f[q]);
    node.f[q] += 3.0f * weight(q) * static_cast<float>(cx(q)) * domain.bodyForce;
  }
  node.density = density;
  node.u[0] = u.x;
  node.u[1] = u.y;
  node.u[2] = u.z;
}

// The population that comes to a node along q: from its neighbour, or its own one if that is solid.
__host__ __device__ inline float pull(const Node *nodes, int x, int y, int z, int q, const Domain &domain) {
  const int sx = (x - cx(q) + domain.nx) % domain.nx;
  const int sy = y - cy(q);
  const int sz = (z - cz(q) + domain.nz) % domain.nz;
  const int own = domain.index(x, y, z);
  if (sy < 0 || sy >= domain.ny) return nodes[own].f[opposite(q)];
  const Node *source = nodes + domain.index(sx, sy, sz);
  if (source->flags != FLUID) return nodes[own].f[opposite(q)];
  return source->f[q];
}

#endif
