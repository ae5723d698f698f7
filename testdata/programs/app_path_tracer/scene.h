#pragma once

#include "vec.h"

#include <string>
#include <vector>

enum class MaterialType : int { Diffuse, Mirror, Glass, Light };

struct Material {
  MaterialType type;
  glm::vec3 albedo;
  glm::vec3 emission;
  float roughness;
  float ior;
};

struct Sphere {
  glm::vec3 center;
  float radius;
  int material;
};

// The unit cube around the origin, moved by a transform.
struct Box {
  glm::mat4 transform;
  glm::mat4 inverse;
  glm::mat3 normalMatrix;
  int material;
};

struct Camera {
  glm::vec3 position;
  glm::vec3 forward;
  glm::vec3 right;
  glm::vec3 up;
  glm::vec2 pixelSize;
  int width;
  int height;
};

struct Scene {
  std::string name;
  std::vector<Material> materials;
  std::vector<Sphere> spheres;
  std::vector<Box> boxes;
  Camera camera;
};

// A room with an open front: `spheres` spheres of several materials on its floor.
Scene makeRoom(int width, int height, int spheres);
