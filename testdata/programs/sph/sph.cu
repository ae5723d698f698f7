// Dam break by smoothed particle hydrodynamics: a column of water collapses in a box of fixed particles.
// The host sorts particles into neighbour lists every few steps; the kernels gather through them.
//
// usage: sph [columns of water] [steps]
#include "sph.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(expr) cudaOk((expr), #expr)

static void cudaOk(cudaError_t status, const char *expression) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s failed: %s\n", expression, cudaGetErrorString(status));
  std::exit(1);
}

struct Lists {
  std::vector<int> first;
  std::vector<int> list;
};

// What the simulation owns on the device.
static Particle *d_particles;
static int *d_first;
static int *d_list;
static size_t list_capacity;

static void allocate(int count) {
  CUDA_OK(cudaMalloc(&d_particles, count * sizeof(Particle)));
  CUDA_OK(cudaMalloc(&d_first, (count + 1) * sizeof(int)));
  list_capacity = 64 * static_cast<size_t>(count);
  CUDA_OK(cudaMalloc(&d_list, list_capacity * sizeof(int)));
}

static void release() {
  CUDA_OK(cudaFree(d_particles));
  CUDA_OK(cudaFree(d_first));
  CUDA_OK(cudaFree(d_list));
}

// All pairs closer than `reach`, in order of index.
static Lists findNeighbours(const std::vector<Particle> &particles, float reach) {
  Lists lists;
  lists.first.push_back(0);
  for (size_t i = 0; i < particles.size(); i++) {
    for (size_t j = 0; j < particles.size(); j++) {
      const float dx = particles[i].x - particles[j].x;
      if (i == j || std::fabs(dx) > reach) continue;
      const float dy = particles[i].y - particles[j].y;
      if (dx * dx + dy * dy <= reach * reach) lists.list.push_back(static_cast<int>(j));
    }
    lists.first.push_back(static_cast<int>(lists.list.size()));
  }
  return lists;
}

static void uploadLists(const Lists &lists) {
  if (lists.list.size() > list_capacity) {
    std::fprintf(stderr, "too many neighbours\n");
    std::exit(1);
  }
  CUDA_OK(cudaMemcpy(d_first, lists.first.data(), lists.first.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(d_list, lists.list.data(), lists.list.size() * sizeof(int), cudaMemcpyHostToDevice));
}

static void stepOnDevice(int count, const Settings &settings) {
  const int threads = 128;
  const int blocks = (count + threads - 1) / threads;
  computeDensity<<<blocks, threads>>>(d_particles, count, d_first, d_list, settings);
  computeForces<<<blocks, threads>>>(d_particles, count, d_first, d_list, settings);
  advance<<<blocks, threads>>>(d_particles, count, settings);
  CUDA_OK(cudaGetLastError());
}

static void stepOnHost(std::vector<Particle> &p, const Lists &lists, const Settings &s) {
  const int count = static_cast<int>(p.size());
  for (int i = 0; i < count; i++) {
    double sum = smooth(0.0f, s.h);
    for (int k = lists.first[i]; k < lists.first[i + 1]; k++) {
      const int j = lists.list[k];
      const float dx = p[i].x - p[j].x, dy = p[i].y - p[j].y;
      sum += smooth(dx * dx + dy * dy, s.h);
    }
    p[i].density = static_cast<float>(s.mass * 1.2732395 / std::pow(s.h, 8) * sum);
    p[i].pressure = std::fmax(0.0f, s.stiffness * (p[i].density - s.rest_density));
  }
  for (int i = 0; i < count; i++) {
    double ax = 0, ay = p[i].fixed ? 0 : -s.gravity;
    for (int k = lists.first[i]; k < lists.first[i + 1] && !p[i].fixed; k++) {
      const Particle &q = p[lists.list[k]];
      const double dx = p[i].x - q.x, dy = p[i].y - q.y;
      const double r = std::sqrt(dx * dx + dy * dy);
      if (r >= s.h || r < 1e-6) continue;
      const double w = (s.h - r) * (s.h - r) / (double(s.h) * s.h * s.h);
      const double push = s.mass * (p[i].pressure + q.pressure) / (2.0 * p[i].density * q.density) * w / r;
      const double drag = s.viscosity * s.mass / (p[i].density * q.density) * (s.h - r);
      ax += push * dx + drag * (q.vx - p[i].vx);
      ay += push * dy + drag * (q.vy - p[i].vy);
    }
    p[i].ax = static_cast<float>(ax);
    p[i].ay = static_cast<float>(ay);
  }
  for (Particle &q : p) {
    if (q.fixed) continue;
    q.vx += q.ax * s.dt;
    q.vy += q.ay * s.dt;
    q.x += q.vx * s.dt;
    q.y += q.vy * s.dt;
  }
}

static std::vector<Particle> makeScene(int columns, const Settings &s) {
  std::vector<Particle> scene;
  auto add = [&](float x, float y, int fixed) {
    Particle p;
    p.x = x;
    p.y = y;
    p.vx = p.vy = p.ax = p.ay = 0.0f;
    p.density = s.rest_density;
    p.pressure = 0.0f;
    p.fixed = fixed;
    scene.push_back(p);
  };
  const int width = 3 * columns, height = 2 * columns;
  unsigned lcg = 99u;
  for (int row = 0; row < height; row++)
    for (int column = 0; column < columns; column++) {
      lcg = lcg * 1664525u + 1013904223u;
      const float jitter = 0.05f * s.spacing * ((lcg >> 8) / 16777216.0f);
      add((column + 1) * s.spacing + jitter, (row + 1) * s.spacing, 0);
    }
  for (int column = 0; column <= width && columns > 0; column++) add(column * s.spacing, 0.0f, 1);
  for (int row = 1; row <= height && columns > 0; row++) {
    add(0.0f, row * s.spacing, 1);
    add(width * s.spacing, row * s.spacing, 1);
  }
  return scene;
}

static bool close(float got, float want, float scale) { return std::fabs(got - want) <= 1e-3f * scale; }

int main(int argc, char **argv) {
  const int columns = argc > 1 ? std::atoi(argv[1]) : 10;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 8;
  if (columns < 0 || steps < 0) {
    std::fprintf(stderr, "usage: sph [columns of water] [steps]\n");
    return 2;
  }

  Settings s;
  s.spacing = 0.1f;
  s.h = 0.22f;
  s.rest_density = 1000.0f;
  s.mass = s.rest_density * s.spacing * s.spacing;
  s.stiffness = 20.0f;
  s.viscosity = 5.0f;
  s.gravity = 9.81f;
  s.dt = 0.002f;

  std::vector<Particle> particles = makeScene(columns, s);
  std::vector<Particle> expected = particles;
  const int count = static_cast<int>(particles.size());
  if (count > 0) {
    allocate(count);
    CUDA_OK(cudaMemcpy(d_particles, particles.data(), count * sizeof(Particle), cudaMemcpyHostToDevice));
    for (int step = 0; step < steps; step++) {
      if (step % 4 == 0) {
        // the lists reach a little further than the kernel, so that they stay good for four steps
        CUDA_OK(cudaMemcpy(particles.data(), d_particles, count * sizeof(Particle), cudaMemcpyDeviceToHost));
        uploadLists(findNeighbours(particles, 1.3f * s.h));
      }
      stepOnDevice(count, s);
    }
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cudaMemcpy(particles.data(), d_particles, count * sizeof(Particle), cudaMemcpyDeviceToHost));
    release();
  }

  Lists lists;
  for (int step = 0; step < steps && count > 0; step++) {
    if (step % 4 == 0) lists = findNeighbours(expected, 1.3f * s.h);
    stepOnHost(expected, lists, s);
  }

  int wrong = 0;
  double position = 0, speed = 0, acceleration = 0, density = 0;
  for (int i = 0; i < count; i++) {
    const Particle &p = particles[i], &q = expected[i];
    if (!close(p.x, q.x, 1) || !close(p.y, q.y, 1) || !close(p.vx, q.vx, 1) || !close(p.vy, q.vy, 1) ||
        !close(p.ax, q.ax, 100) || !close(p.ay, q.ay, 100) || !close(p.density, q.density, 1000) ||
        !close(p.pressure, q.pressure, 10000) || p.fixed != q.fixed)
      wrong++;
    position += (i % 3 + 1) * (p.x + 2.0 * p.y);
    speed += (i % 5 + 1) * (p.vx + 2.0 * p.vy);
    acceleration += (i % 7 + 1) * (p.ax + 2.0 * p.ay);
    density += (i % 9 + 1) * (p.density + 2.0 * p.pressure);
  }
  std::printf("%d particles, %d steps\n", count, steps);
  std::printf("position     %.14e\nspeed        %.14e\nacceleration %.14e\ndensity      %.14e\n", position, speed,
              acceleration, density);
  std::printf(wrong == 0 ? "PASSED\n" : "FAILED (%d particles)\n", wrong);
  return wrong == 0 ? 0 : 1;
}
