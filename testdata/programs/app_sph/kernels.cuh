// Smoothing kernels and the grid, on both sides.
#pragma once

#include "fluid.cuh"
#include "vector_math.cuh"

#define PI_F 3.14159265f

inline __host__ __device__ float poly6(float r2, float h) {
  const float d = h * h - r2;
  if (d <= 0.0f) return 0.0f;
  const float h3 = h * h * h;
  return 315.0f / (64.0f * PI_F * h3 * h3 * h3) * d * d * d;
}

inline __host__ __device__ float3 spikyGradient(float3 r, float distance, float h) {
  if (distance <= 1e-6f || distance >= h) return make_float3(0.0f, 0.0f, 0.0f);
  const float h3 = h * h * h;
  const float d = h - distance;
  return r * (-45.0f / (PI_F * h3 * h3) * d * d / distance);
}

inline __host__ __device__ float viscosityLaplacian(float distance, float h) {
  if (distance >= h) return 0.0f;
  const float h3 = h * h * h;
  return 45.0f / (PI_F * h3 * h3) * (h - distance);
}

inline __host__ __device__ int3 cellOf(float3 position, const FluidParams &params) {
  const float3 p = position - params.origin;
  return make_int3(static_cast<int>(floorf(p.x / params.cellSize)), static_cast<int>(floorf(p.y / params.cellSize)),
                   static_cast<int>(floorf(p.z / params.cellSize)));
}

inline __host__ __device__ int clampInt(int value, int low, int high) {
  return value < low ? low : (value > high ? high : value);
}

inline __host__ __device__ int cellIndex(int3 cell, const FluidParams &params) {
  const int x = clampInt(cell.x, 0, params.gridSize.x - 1);
  const int y = clampInt(cell.y, 0, params.gridSize.y - 1);
  const int z = clampInt(cell.z, 0, params.gridSize.z - 1);
  return (z * params.gridSize.y + y) * params.gridSize.x + x;
}

inline __host__ __device__ bool insideGrid(int3 cell, const FluidParams &params) {
  return cell.x >= 0 && cell.y >= 0 && cell.z >= 0 && cell.x < params.gridSize.x && cell.y < params.gridSize.y &&
         cell.z < params.gridSize.z;
}

inline __host__ __device__ float pressureOf(float density, const FluidParams &params) {
  const float p = params.stiffness * (density - params.restDensity);
  return p > 0.0f ? p : 0.0f;
}

// Pressure and viscosity of one neighbour.
inline __host__ __device__ float3 pairForce(const Particle &a, const Particle &b, const FluidParams &params) {
  const float3 r = a.position - b.position;
  const float distance = length(r);
  float3 force = make_float3(0.0f, 0.0f, 0.0f);
  if (distance >= params.smoothing) return force;
  const float shared = params.mass * (a.pressure + b.pressure) / (2.0f * b.density);
  force -= shared * spikyGradient(r, distance, params.smoothing);
  const float viscous = params.viscosity * params.mass / b.density * viscosityLaplacian(distance, params.smoothing);
  force += viscous * (b.velocity - a.velocity);
  return force;
}

inline __host__ __device__ float3 boundaryForce(const Particle &p, const BoundaryParticle *wall,
                                                const FluidParams &params) {
  const float distance = length(p.position - wall->position);
  if (distance >= params.smoothing) return make_float3(0.0f, 0.0f, 0.0f);
  const float near = 1.0f - distance / params.smoothing;
  return wall->normal * (near * near * wall->volume * params.stiffness * p.density);
}

inline __host__ __device__ void integrate(Particle &p, const FluidParams &params) {
  const float3 acceleration = p.force * (1.0f / p.density) + params.gravity;
  p.velocity += params.timeStep * acceleration;
  p.position += params.timeStep * p.velocity;
  const float3 low = params.origin, high = params.origin + params.extent;
  if (p.position.x < low.x) { p.position.x = low.x; p.velocity.x *= -0.5f; }
  if (p.position.y < low.y) { p.position.y = low.y; p.velocity.y *= -0.5f; }
  if (p.position.z < low.z) { p.position.z = low.z; p.velocity.z *= -0.5f; }
  if (p.position.x > high.x) { p.position.x = high.x; p.velocity.x *= -0.5f; }
  if (p.position.y > high.y) { p.position.y = high.y; p.velocity.y *= -0.5f; }
  if (p.position.z > high.z) { p.position.z = high.z; p.velocity.z *= -0.5f; }
}
