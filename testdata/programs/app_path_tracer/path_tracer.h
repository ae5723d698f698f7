#pragma once

#include "buffer.h"
#include "ray.h"
#include "scan.h"
#include "scene.h"

#include <string>
#include <vector>

struct RenderOptions {
  int samples = 2;
  int maxBounces = 5;
  bool sortByMaterial = true;
};

struct RenderStats {
  std::vector<int> pathsPerBounce;
  int sorts = 0;
};

// A wavefront path tracer: one kernel for each stage, all paths in device memory.
class PathTracer {
public:
  PathTracer(const Scene &scene, const RenderOptions &options);

  void renderSample(int sample);

  std::vector<glm::vec3> image() const { return image_.download(); }
  std::vector<uchar4> pixels();
  const RenderStats &stats() const { return stats_; }

private:
  void sortByMaterial(int count);
  int compact(int count);

  std::string name_;
  RenderOptions options_;
  RenderStats stats_;
  Camera camera_;
  dim3 block_{16, 8};

  Buffer<Material> materials_;
  Buffer<Sphere> spheres_;
  Buffer<Box> boxes_;

  Buffer<PathSegment> paths_;
  Buffer<PathSegment> pathsOut_;
  Buffer<Intersection> hits_;
  Buffer<Intersection> hitsOut_;
  Buffer<int> flags_;
  Buffer<glm::vec3> image_;
  Buffer<uchar4> pixels_;
  Scan scan_;
};
