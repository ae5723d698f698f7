#include "scene.h"

#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_inverse.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include <cmath>
#include <cstdint>

namespace {

class Random {
public:
  float next() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(state_ >> 8) / static_cast<float>(1u << 24);
  }
  float between(float low, float high) { return low + (high - low) * next(); }

private:
  std::uint32_t state_ = 20231u;
};

Material diffuse(const glm::vec3 &albedo) {
  return {MaterialType::Diffuse, albedo, glm::vec3(0.0f), 1.0f, 1.0f};
}

Material mirror(const glm::vec3 &albedo, float roughness) {
  return {MaterialType::Mirror, albedo, glm::vec3(0.0f), roughness, 1.0f};
}

Material glass(float ior) {
  return {MaterialType::Glass, glm::vec3(0.98f), glm::vec3(0.0f), 0.0f, ior};
}

Material light(const glm::vec3 &emission) {
  return {MaterialType::Light, glm::vec3(0.0f), emission, 0.0f, 1.0f};
}

Box makeBox(const glm::vec3 &center, const glm::vec3 &scale, float turn, int material) {
  Box box;
  box.transform = glm::translate(glm::mat4(1.0f), center);
  box.transform = glm::rotate(box.transform, turn, glm::vec3(0.0f, 1.0f, 0.0f));
  box.transform = glm::scale(box.transform, scale);
  box.inverse = glm::inverse(box.transform);
  box.normalMatrix = glm::inverseTranspose(glm::mat3(box.transform));
  box.material = material;
  return box;
}

Camera makeCamera(int width, int height) {
  const glm::vec3 eye(0.0f, 2.6f, 9.5f), target(0.0f, 2.2f, 0.0f);
  Camera camera;
  camera.position = eye;
  camera.forward = glm::normalize(target - eye);
  camera.right = glm::normalize(glm::cross(camera.forward, glm::vec3(0.0f, 1.0f, 0.0f)));
  camera.up = glm::cross(camera.right, camera.forward);
  const float tanY = std::tan(glm::radians(25.0f));
  const float tanX = tanY * static_cast<float>(width) / static_cast<float>(height > 0 ? height : 1);
  camera.pixelSize = glm::vec2(2.0f * tanX / static_cast<float>(width > 0 ? width : 1),
                               2.0f * tanY / static_cast<float>(height > 0 ? height : 1));
  camera.width = width;
  camera.height = height;
  return camera;
}

} // namespace

Scene makeRoom(int width, int height, int spheres) {
  Scene scene;
  scene.name = "room";
  scene.camera = makeCamera(width, height);

  scene.materials.push_back(light(glm::vec3(6.0f, 5.5f, 5.0f)));
  scene.materials.push_back(diffuse(glm::vec3(0.85f)));
  scene.materials.push_back(diffuse(glm::vec3(0.8f, 0.3f, 0.25f)));
  scene.materials.push_back(diffuse(glm::vec3(0.3f, 0.65f, 0.35f)));
  scene.materials.push_back(mirror(glm::vec3(0.9f), 0.0f));
  scene.materials.push_back(mirror(glm::vec3(0.95f, 0.8f, 0.4f), 0.3f));
  scene.materials.push_back(glass(1.5f));

  scene.boxes.push_back(makeBox(glm::vec3(0.0f, 5.9f, 0.0f), glm::vec3(3.0f, 0.2f, 3.0f), 0.0f, 0));
  scene.boxes.push_back(makeBox(glm::vec3(0.0f, -0.1f, 0.0f), glm::vec3(10.0f, 0.2f, 10.0f), 0.0f, 1));
  scene.boxes.push_back(makeBox(glm::vec3(0.0f, 6.1f, 0.0f), glm::vec3(10.0f, 0.2f, 10.0f), 0.0f, 1));
  scene.boxes.push_back(makeBox(glm::vec3(0.0f, 3.0f, -4.0f), glm::vec3(10.0f, 6.4f, 0.2f), 0.0f, 1));
  scene.boxes.push_back(makeBox(glm::vec3(-4.0f, 3.0f, 0.0f), glm::vec3(0.2f, 6.4f, 10.0f), 0.0f, 2));
  scene.boxes.push_back(makeBox(glm::vec3(4.0f, 3.0f, 0.0f), glm::vec3(0.2f, 6.4f, 10.0f), 0.0f, 3));
  scene.boxes.push_back(makeBox(glm::vec3(-1.6f, 1.2f, -1.8f), glm::vec3(1.4f, 2.4f, 1.4f), 0.4f, 5));

  Random random;
  for (int i = 0; i < spheres; i++) {
    Sphere sphere;
    sphere.radius = random.between(0.25f, 0.75f);
    sphere.center = glm::vec3(random.between(-3.0f, 3.0f), sphere.radius, random.between(-2.5f, 2.5f));
    sphere.material = 1 + i % 6;
    scene.spheres.push_back(sphere);
  }
  return scene;
}
