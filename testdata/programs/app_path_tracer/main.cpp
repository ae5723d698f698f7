// A path tracer for a small room.
//
// usage: path_tracer [width] [samples per pixel] [bounces] [spheres]
#include "path_tracer.h"
#include "reference.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

static bool compare(const std::vector<glm::vec3> &image, const std::vector<glm::vec3> &expected) {
  // Rounding may send a path to another place, so a few pixels may be wrong.
  std::size_t different = 0;
  for (std::size_t i = 0; i < image.size(); i++) {
    const glm::vec3 d = glm::abs(image[i] - expected[i]);
    if (!(d.x + d.y + d.z <= 1e-3f)) different++;
  }
  if (different * 50 > image.size()) {
    std::printf("%zu of %zu pixels differ\n", different, image.size());
    return false;
  }
  return true;
}

static void printSummary(const std::vector<glm::vec3> &image, const std::vector<uchar4> &pixels) {
  double red = 0.0, green = 0.0, blue = 0.0;
  for (const glm::vec3 &color : image) {
    red += color.r;
    green += color.g;
    blue += color.b;
  }
  unsigned checksum = 0;
  for (const uchar4 &pixel : pixels) checksum = checksum * 31u + pixel.x + 256u * pixel.y + 65536u * pixel.z + pixel.w;
  std::printf("radiance %.4f %.4f %.4f\n", red, green, blue);
  std::printf("pixels %08x\n", checksum);
}

int main(int argc, char **argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 45;
  const int height = width * 3 / 4;
  RenderOptions options;
  if (argc > 2) options.samples = std::atoi(argv[2]);
  if (argc > 3) options.maxBounces = std::atoi(argv[3]);
  const int spheres = argc > 4 ? std::atoi(argv[4]) : 9;

  const Scene scene = makeRoom(width, height, spheres);
  std::printf("%s: %d x %d, %d samples, %zu spheres, %zu boxes, %zu materials\n", scene.name.c_str(), width, height,
              options.samples, scene.spheres.size(), scene.boxes.size(), scene.materials.size());

  PathTracer tracer(scene, options);
  for (int sample = 0; sample < options.samples; sample++) tracer.renderSample(sample);
  for (std::size_t i = 0; i < tracer.stats().pathsPerBounce.size(); i++) {
    std::printf("bounce %zu: %d paths\n", i, tracer.stats().pathsPerBounce[i]);
  }
  const std::vector<glm::vec3> image = tracer.image();
  printSummary(image, tracer.pixels());

  const bool ok = compare(image, renderReference(scene, options));
  std::printf("%s\n", ok ? "PASSED" : "FAILED");
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
