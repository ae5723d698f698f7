#include "path_tracer.h"

#include "intersect.h"
#include "shading.h"

namespace {

constexpr int blockSize = 128;

int blocksFor(int count) {
  return (count + blockSize - 1) / blockSize;
}

__global__ void generateRays(Camera camera, int sample, int maxBounces, PathSegment *paths) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= camera.width || y >= camera.height) return;
  const int index = x + y * camera.width;

  PathSegment &segment = paths[index];
  segment.rng.state = (index * 9781u + sample * 6271u + 1u) * 747796405u;
  segment.rng.uniform();
  segment.ray = cameraRay(camera, x, y, segment.rng);
  segment.throughput = glm::vec3(1.0f);
  segment.radiance = glm::vec3(0.0f);
  segment.pixel = index;
  segment.remainingBounces = maxBounces;
}

__global__ void findIntersections(const PathSegment *__restrict__ paths, int count, const Sphere *__restrict__ spheres,
                                  int sphereCount, const Box *__restrict__ boxes, int boxCount, Intersection *hits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  hits[i] = intersectScene(paths[i].ray, spheres, sphereCount, boxes, boxCount);
}

__global__ void shade(PathSegment *paths, const Intersection *hits, const Material *materials, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Intersection hit = hits[i];
  if (hit.t < 0.0f) {
    paths[i].radiance += paths[i].throughput * sky(paths[i].ray.direction);
    paths[i].remainingBounces = 0;
    return;
  }
  scatter(paths[i], hit, materials[hit.material]);
}

__global__ void gather(const PathSegment *paths, int count, glm::vec3 *image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const PathSegment path = paths[i];
  if (path.remainingBounces == 0) image[path.pixel] += path.radiance;
}

__global__ void flagAlive(const PathSegment *paths, int count, int *flags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) flags[i] = paths[i].remainingBounces > 0 ? 1 : 0;
}

__global__ void scatterAlive(const PathSegment *in, int count, const int *offsets, PathSegment *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && in[i].remainingBounces > 0) out[offsets[i]] = in[i];
}

__global__ void flagMaterialBit(const Intersection *hits, int count, int bit, int *flags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) flags[i] = (hits[i].material >> bit) & 1 ? 0 : 1;
}

// One pass of a radix sort: zeros keep their order at the front, ones behind them.
__global__ void splitByBit(const PathSegment *paths, const Intersection *hits, int count, int bit, const int *offsets,
                           int zeros, PathSegment *pathsOut, Intersection *hitsOut) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const bool one = (hits[i].material >> bit) & 1;
  const int to = one ? zeros + i - offsets[i] : offsets[i];
  pathsOut[to] = paths[i];
  hitsOut[to] = hits[i];
}

__device__ unsigned char toByte(float value) {
  const float mapped = powf(value / (1.0f + value), 1.0f / 2.2f);
  return static_cast<unsigned char>(fminf(fmaxf(mapped * 255.0f + 0.5f, 0.0f), 255.0f));
}

__global__ void toneMap(const glm::vec3 *image, int width, int height, float scale, uchar4 *pixels) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int index = x + y * width;
  const glm::vec3 color = image[index] * scale;
  pixels[index].x = toByte(color.x);
  pixels[index].y = toByte(color.y);
  pixels[index].z = toByte(color.z);
  pixels[index].w = 255;
}

} // namespace

PathTracer::PathTracer(const Scene &scene, const RenderOptions &options)
    : name_(scene.name), options_(options), camera_(scene.camera), materials_(scene.materials),
      spheres_(scene.spheres), boxes_(scene.boxes), paths_(camera_.width * camera_.height), pathsOut_(paths_.size()),
      hits_(paths_.size()), hitsOut_(paths_.size()), flags_(paths_.size()), image_(paths_.size()),
      pixels_(paths_.size()), scan_(static_cast<int>(paths_.size())) {
  image_.clear();
}

void PathTracer::renderSample(int sample) {
  if (paths_.empty()) return;
  const dim3 grid((camera_.width + block_.x - 1) / block_.x, (camera_.height + block_.y - 1) / block_.y);
  generateRays<<<grid, block_>>>(camera_, sample, options_.maxBounces, paths_.data());
  CUDA_CHECK(cudaGetLastError());

  int count = static_cast<int>(paths_.size());
  for (int bounce = 0; bounce < options_.maxBounces && count > 0; bounce++) {
    if (sample == 0) stats_.pathsPerBounce.push_back(count);
    findIntersections<<<blocksFor(count), blockSize>>>(paths_.data(), count, spheres_.data(),
                                                       static_cast<int>(spheres_.size()), boxes_.data(),
                                                       static_cast<int>(boxes_.size()), hits_.data());
    CUDA_CHECK(cudaGetLastError());
    if (options_.sortByMaterial) sortByMaterial(count);
    shade<<<blocksFor(count), blockSize>>>(paths_.data(), hits_.data(), materials_.data(), count);
    CUDA_CHECK(cudaGetLastError());
    gather<<<blocksFor(count), blockSize>>>(paths_.data(), count, image_.data());
    CUDA_CHECK(cudaGetLastError());
    count = compact(count);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

void PathTracer::sortByMaterial(int count) {
  for (int bit = 0; (1 << bit) < static_cast<int>(materials_.size()); bit++) {
    flagMaterialBit<<<blocksFor(count), blockSize>>>(hits_.data(), count, bit, flags_.data());
    CUDA_CHECK(cudaGetLastError());
    const int zeros = scan_.exclusive(flags_.data(), count);
    splitByBit<<<blocksFor(count), blockSize>>>(paths_.data(), hits_.data(), count, bit, flags_.data(), zeros,
                                                pathsOut_.data(), hitsOut_.data());
    CUDA_CHECK(cudaGetLastError());
    std::swap(paths_, pathsOut_);
    std::swap(hits_, hitsOut_);
  }
  stats_.sorts++;
}

int PathTracer::compact(int count) {
  flagAlive<<<blocksFor(count), blockSize>>>(paths_.data(), count, flags_.data());
  CUDA_CHECK(cudaGetLastError());
  const int alive = scan_.exclusive(flags_.data(), count);
  scatterAlive<<<blocksFor(count), blockSize>>>(paths_.data(), count, flags_.data(), pathsOut_.data());
  CUDA_CHECK(cudaGetLastError());
  std::swap(paths_, pathsOut_);
  return alive;
}

std::vector<uchar4> PathTracer::pixels() {
  if (pixels_.empty()) return {};
  const dim3 grid((camera_.width + block_.x - 1) / block_.x, (camera_.height + block_.y - 1) / block_.y);
  const float scale = 1.0f / static_cast<float>(options_.samples > 0 ? options_.samples : 1);
  toneMap<<<grid, block_>>>(image_.data(), camera_.width, camera_.height, scale, pixels_.data());
  CUDA_CHECK(cudaGetLastError());
  return pixels_.download();
}
