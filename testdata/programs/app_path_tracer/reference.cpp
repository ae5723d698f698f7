#include "reference.h"

#include "intersect.h"
#include "shading.h"

static glm::vec3 tracePath(const Scene &scene, PathSegment path) {
  while (path.remainingBounces > 0) {
    const Intersection hit =
        intersectScene(path.ray, scene.spheres.data(), static_cast<int>(scene.spheres.size()), scene.boxes.data(),
                       static_cast<int>(scene.boxes.size()));
    if (hit.t < 0.0f) {
      path.radiance += path.throughput * sky(path.ray.direction);
      break;
    }
    scatter(path, hit, scene.materials[hit.material]);
  }
  return path.radiance;
}

std::vector<glm::vec3> renderReference(const Scene &scene, const RenderOptions &options) {
  const Camera &camera = scene.camera;
  std::vector<glm::vec3> image(camera.width * camera.height, glm::vec3(0.0f));
  for (int sample = 0; sample < options.samples; sample++) {
    for (int y = 0; y < camera.height; y++) {
      for (int x = 0; x < camera.width; x++) {
        const int index = x + y * camera.width;
        PathSegment path;
        path.rng.state = (index * 9781u + sample * 6271u + 1u) * 747796405u;
        path.rng.uniform();
        path.ray = cameraRay(camera, x, y, path.rng);
        path.throughput = glm::vec3(1.0f);
        path.radiance = glm::vec3(0.0f);
        path.pixel = index;
        path.remainingBounces = options.maxBounces;
        image[index] += tracePath(scene, path);
      }
    }
  }
  return image;
}
