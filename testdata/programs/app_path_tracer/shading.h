// What a surface does with a path, on both sides.
#pragma once

#include "ray.h"
#include "scene.h"

__host__ __device__ inline glm::vec3 sampleHemisphere(const glm::vec3 &normal, Rng &rng) {
  const float up = sqrtf(rng.uniform());
  const float over = sqrtf(1.0f - up * up);
  const float around = rng.uniform() * 6.2831853f;
  const glm::vec3 helper = fabsf(normal.x) < 0.57735f ? glm::vec3(1.0f, 0.0f, 0.0f) : glm::vec3(0.0f, 1.0f, 0.0f);
  const glm::vec3 tangent = glm::normalize(glm::cross(normal, helper));
  const glm::vec3 bitangent = glm::cross(normal, tangent);
  return up * normal + cosf(around) * over * tangent + sinf(around) * over * bitangent;
}

__host__ __device__ inline float schlick(float cosine, float ior) {
  float r0 = (1.0f - ior) / (1.0f + ior);
  r0 *= r0;
  const float m = 1.0f - cosine;
  return r0 + (1.0f - r0) * m * m * m * m * m;
}

__host__ __device__ inline Ray cameraRay(const Camera &camera, int x, int y, Rng &rng) {
  const float px = (static_cast<float>(x) + rng.uniform() - 0.5f * static_cast<float>(camera.width));
  const float py = (static_cast<float>(y) + rng.uniform() - 0.5f * static_cast<float>(camera.height));
  Ray ray;
  ray.origin = camera.position;
  ray.direction = glm::normalize(camera.forward + camera.right * (px * camera.pixelSize.x) -
                                 camera.up * (py * camera.pixelSize.y));
  return ray;
}

// Lights and the sky end a path; everything else sends it on.
__host__ __device__ inline void scatter(PathSegment &path, const Intersection &hit, const Material &material) {
  if (material.type == MaterialType::Light) {
    path.radiance += path.throughput * material.emission;
    path.remainingBounces = 0;
    return;
  }
  const glm::vec3 position = path.ray.at(hit.t);
  glm::vec3 direction;
  switch (material.type) {
  case MaterialType::Mirror:
    direction = glm::reflect(path.ray.direction, hit.normal);
    if (material.roughness > 0.0f) {
      direction = glm::normalize(glm::mix(direction, sampleHemisphere(hit.normal, path.rng), material.roughness));
    }
    break;
  case MaterialType::Glass: {
    const float eta = hit.outside ? 1.0f / material.ior : material.ior;
    const float cosine = -glm::dot(path.ray.direction, hit.normal);
    const glm::vec3 refracted = glm::refract(path.ray.direction, hit.normal, eta);
    const bool reflects = glm::dot(refracted, refracted) < 0.5f || path.rng.uniform() < schlick(cosine, material.ior);
    direction = reflects ? glm::reflect(path.ray.direction, hit.normal) : refracted;
    break;
  }
  default:
    direction = sampleHemisphere(hit.normal, path.rng);
    break;
  }
  path.throughput *= material.albedo;
  path.ray.origin = position + direction * 1e-3f;
  path.ray.direction = glm::normalize(direction);
  path.remainingBounces--;
}

__host__ __device__ inline glm::vec3 sky(const glm::vec3 &direction) {
  return glm::mix(glm::vec3(0.25f), glm::vec3(0.3f, 0.4f, 0.6f), 0.5f * (direction.y + 1.0f));
}
