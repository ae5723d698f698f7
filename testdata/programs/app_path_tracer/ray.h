#pragma once

#include <cuda_runtime.h>
#include "vec.h"

#include <cstdint>

struct Ray {
  glm::vec3 origin;
  glm::vec3 direction;

  __host__ __device__ glm::vec3 at(float t) const { return origin + t * direction; }
};

// Small and fast: one permuted congruential generator for each path.
struct Rng {
  std::uint32_t state;

  __host__ __device__ float uniform() {
    const std::uint32_t old = state;
    state = old * 747796405u + 2891336453u;
    std::uint32_t word = ((old >> ((old >> 28) + 4u)) ^ old) * 277803737u;
    word = (word >> 22) ^ word;
    return static_cast<float>(word >> 8) * (1.0f / 16777216.0f);
  }
};

struct PathSegment {
  Ray ray;
  glm::vec3 throughput;
  glm::vec3 radiance;
  Rng rng;
  int pixel;
  int remainingBounces;
};

struct Intersection {
  float t; // negative: the ray leaves the scene
  glm::vec3 normal;
  int material;
  bool outside;
};
