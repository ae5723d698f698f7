// Rays against shapes, on both sides.
#pragma once

#include "ray.h"
#include "scene.h"

constexpr float rayEpsilon = 1e-3f;

__host__ __device__ inline float intersectSphere(const Sphere &sphere, const Ray &ray, glm::vec3 &normal,
                                                 bool &outside) {
  const glm::vec3 oc = ray.origin - sphere.center;
  const float b = glm::dot(oc, ray.direction);
  const float c = glm::dot(oc, oc) - sphere.radius * sphere.radius;
  const float discriminant = b * b - c;
  if (discriminant < 0.0f) return -1.0f;
  const float root = sqrtf(discriminant);
  float t = -b - root;
  if (t < rayEpsilon) t = -b + root;
  if (t < rayEpsilon) return -1.0f;
  normal = (ray.at(t) - sphere.center) / sphere.radius;
  outside = glm::dot(normal, ray.direction) < 0.0f;
  if (!outside) normal = -normal;
  return t;
}

__host__ __device__ inline float intersectBox(const Box *box, const Ray &ray, glm::vec3 &normal, bool &outside) {
  Ray local;
  local.origin = glm::vec3(box->inverse * glm::vec4(ray.origin, 1.0f));
  local.direction = glm::vec3(box->inverse * glm::vec4(ray.direction, 0.0f));
  float tmin = -1e30f, tmax = 1e30f;
  glm::vec3 minNormal(0.0f), maxNormal(0.0f);
  for (int axis = 0; axis < 3; axis++) {
    const float d = local.direction[axis];
    if (d == 0.0f) {
      if (local.origin[axis] < -0.5f || local.origin[axis] > 0.5f) return -1.0f;
      continue;
    }
    float t1 = (-0.5f - local.origin[axis]) / d;
    float t2 = (0.5f - local.origin[axis]) / d;
    glm::vec3 n(0.0f);
    n[axis] = -1.0f;
    if (t1 > t2) {
      const float t = t1;
      t1 = t2;
      t2 = t;
      n[axis] = 1.0f;
    }
    if (t1 > tmin) {
      tmin = t1;
      minNormal = n;
    }
    if (t2 < tmax) {
      tmax = t2;
      maxNormal = -n;
    }
  }
  if (tmax < tmin || tmax < rayEpsilon) return -1.0f;
  outside = tmin >= rayEpsilon;
  const float t = outside ? tmin : tmax;
  normal = glm::normalize(box->normalMatrix * (outside ? minNormal : maxNormal));
  if (glm::dot(normal, ray.direction) > 0.0f) normal = -normal;
  return t;
}

// The nearest hit of all shapes.
__host__ __device__ inline Intersection intersectScene(const Ray &ray, const Sphere *spheres, int sphereCount,
                                                       const Box *boxes, int boxCount) {
  Intersection nearest;
  nearest.t = -1.0f;
  nearest.normal = glm::vec3(0.0f);
  nearest.material = 0;
  nearest.outside = true;
  glm::vec3 normal;
  bool outside = true;
  for (int i = 0; i < sphereCount; i++) {
    const float t = intersectSphere(spheres[i], ray, normal, outside);
    if (t > 0.0f && (nearest.t < 0.0f || t < nearest.t)) {
      nearest.t = t;
      nearest.normal = normal;
      nearest.material = spheres[i].material;
      nearest.outside = outside;
    }
  }
  for (int i = 0; i < boxCount; i++) {
    const float t = intersectBox(&boxes[i], ray, normal, outside);
    if (t > 0.0f && (nearest.t < 0.0f || t < nearest.t)) {
      nearest.t = t;
      nearest.normal = normal;
      nearest.material = boxes[i].material;
      nearest.outside = outside;
    }
  }
  return nearest;
}
