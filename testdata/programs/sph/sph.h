#pragma once

#include "particle.h"

#include <cuda_runtime.h>

struct Settings {
  float spacing;      // of the particles at rest
  float h;            // smoothing length
  float mass;
  float rest_density;
  float stiffness;
  float viscosity;
  float gravity;
  float dt;
};

// Kernels live in sph_kernels.cu. `list` holds the neighbours of particle i at first[i] .. first[i + 1] - 1.
__global__ void computeDensity(Particle *particles, int count, const int *first, const int *list, Settings s);
__global__ void computeForces(Particle *particles, int count, const int *first, const int *list, Settings s);
__global__ void advance(Particle *particles, int count, Settings s);

// Shared by device and host: the smoothing kernels, without their common factor.
__host__ __device__ inline float smooth(float r2, float h) {
  float q = h * h - r2;
  return q > 0.0f ? q * q * q : 0.0f;
}

__host__ __device__ inline float steepness(float r, float h) {
  float q = h - r;
  return q > 0.0f ? q * q : 0.0f;
}
