// Lloyd's k-means on four features. The device labels the points, the host moves the centres.
//
//   kmeans [points] [clusters]

#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
  if (code != cudaSuccess)
  {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort) exit(code);
  }
}

constexpr int NFEAT = 4;
constexpr int MAX_ITERATIONS = 12;

struct Point
{
  float f[NFEAT];
  int cluster;
};

// Which centre is nearest; ties go to the lower number.
__global__ void assign(Point *points, int npoints, const float *centers, int k, int *changed)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= npoints) return;

  int best = 0;
  float best_dist = 3.0e38f;
  for (int c = 0; c < k; ++c)
  {
    float dist = 0.0f;
    #pragma unroll
    for (int d = 0; d < NFEAT; ++d)
    {
      float diff = points[i].f[d] - centers[c * NFEAT + d];
      dist += diff * diff;
    }
    if (dist < best_dist)
    {
      best_dist = dist;
      best = c;
    }
  }

  if (points[i].cluster != best)
  {
    points[i].cluster = best;
    atomicAdd(changed, 1);
  }
}

__global__ void population(const Point *points, int npoints, int *count)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < npoints; i += gridDim.x * blockDim.x)
    atomicAdd(&count[points[i].cluster], 1);
}

static int nearest(const Point &p, const std::vector<float> &centers, int k)
{
  int best = 0;
  float best_dist = 3.0e38f;
  for (int c = 0; c < k; ++c)
  {
    float dist = 0.0f;
    for (int d = 0; d < NFEAT; ++d)
    {
      float diff = p.f[d] - centers[c * NFEAT + d];
      dist += diff * diff;
    }
    if (dist < best_dist) { best_dist = dist; best = c; }
  }
  return best;
}

int main(int argc, char **argv)
{
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int k = argc > 2 ? std::atoi(argv[2]) : 5;
  if (n < 0 || k < 1) { std::fprintf(stderr, "usage: kmeans [points] [clusters]\n"); return 2; }

  std::vector<Point> points(n);
  unsigned state = 2463534242u;
  auto rnd = [&state]() { state = state * 1103515245u + 12345u; return (state >> 16) & 1023u; };
  for (int i = 0; i < n; ++i)
  {
    // coordinates are multiples of 1/16, so that squared distances are exact in float
    for (int d = 0; d < NFEAT; ++d) points[i].f[d] = (i % k) * 8.0f + rnd() / 16.0f;
    points[i].cluster = -1;
  }
  std::vector<float> centers(k * NFEAT, 0.0f);
  for (int c = 0; c < k && c < n; ++c)
    for (int d = 0; d < NFEAT; ++d) centers[c * NFEAT + d] = points[c * (n / k > 0 ? n / k : 1) % n].f[d];

  Point *d_points = nullptr;
  float *d_centers = nullptr;
  int *d_changed = nullptr, *d_count = nullptr;
  gpuErrchk(cudaMalloc(&d_points, n * sizeof(Point)));
  gpuErrchk(cudaMalloc(&d_centers, centers.size() * sizeof(float)));
  gpuErrchk(cudaMalloc(&d_changed, sizeof(int)));
  gpuErrchk(cudaMalloc(&d_count, k * sizeof(int)));
  gpuErrchk(cudaMemcpy(d_points, points.data(), n * sizeof(Point), cudaMemcpyHostToDevice));

  const int threads = 256;
  const int blocks = n > 0 ? (n + threads - 1) / threads : 1;
  int errors = 0;
  int iteration = 0;
  for (; iteration < MAX_ITERATIONS; ++iteration)
  {
    int changed = 0;
    gpuErrchk(cudaMemset(d_changed, 0, sizeof(int)));
    gpuErrchk(cudaMemcpy(d_centers, centers.data(), centers.size() * sizeof(float), cudaMemcpyHostToDevice));
    assign<<<blocks, threads>>>(d_points, n, d_centers, k, d_changed);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(points.data(), d_points, n * sizeof(Point), cudaMemcpyDeviceToHost));

    for (const Point &p : points)
      if (p.cluster != nearest(p, centers, k)) ++errors;

    if (changed == 0) break;

    std::vector<float> sum(k * NFEAT, 0.0f);
    std::vector<int> members(k, 0);
    for (const Point &p : points)
    {
      for (int d = 0; d < NFEAT; ++d) sum[p.cluster * NFEAT + d] += p.f[d];
      ++members[p.cluster];
    }
    // centres are rounded to 1/16 as well, which keeps device and host bit-equal
    for (int c = 0; c < k; ++c)
      for (int d = 0; d < NFEAT && members[c] > 0; ++d)
        centers[c * NFEAT + d] = floorf(sum[c * NFEAT + d] / members[c] * 16.0f) / 16.0f;
  }

  std::vector<int> count(k), expected(k, 0);
  gpuErrchk(cudaMemset(d_count, 0, k * sizeof(int)));
  population<<<2, threads>>>(d_points, n, d_count);
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());
  gpuErrchk(cudaMemcpy(count.data(), d_count, k * sizeof(int), cudaMemcpyDeviceToHost));
  for (const Point &p : points) ++expected[p.cluster];
  for (int c = 0; c < k; ++c)
    if (count[c] != expected[c]) ++errors;

  gpuErrchk(cudaFree(d_points));
  gpuErrchk(cudaFree(d_centers));
  gpuErrchk(cudaFree(d_changed));
  gpuErrchk(cudaFree(d_count));

  unsigned long long checksum = 14695981039346656037ull;
  for (const Point &p : points) checksum = (checksum ^ (unsigned)(p.cluster + 1)) * 1099511628211ull;
  double features = 0.0;
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < NFEAT; ++d) features += (i % 13 + d + 1) * points[i].f[d];
  std::printf("points %d, clusters %d, iterations %d\n", n, k, iteration);
  for (int c = 0; c < k; ++c)
    std::printf("  cluster %d: %d points, centre (%.4f %.4f %.4f %.4f)\n", c, count[c], centers[c * NFEAT],
                centers[c * NFEAT + 1], centers[c * NFEAT + 2], centers[c * NFEAT + 3]);
  std::printf("labels %016llx features %.4f\n", checksum, features);
  std::puts(errors == 0 ? "PASSED" : "FAILED");
  return errors == 0 ? 0 : 1;
}
