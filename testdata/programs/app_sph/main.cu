// A dam break by smoothed particle hydrodynamics, with a grid of neighbours that is sorted on the GPU.
//
// usage: sph [particles along a side] [steps]
#include "kernels.cuh"
#include "scene.h"
#include "solver.cuh"

#include <algorithm>
#include <cmath>

static void printState(const std::vector<Particle> &particles) {
  double position[3] = {0, 0, 0}, velocity[3] = {0, 0, 0}, force = 0, density = 0, pressure = 0;
  for (const Particle &p : particles) {
    position[0] += p.position.x;
    position[1] += p.position.y;
    position[2] += p.position.z;
    velocity[0] += p.velocity.x;
    velocity[1] += p.velocity.y;
    velocity[2] += p.velocity.z;
    force += fabsf(p.force.x) + fabsf(p.force.y) + fabsf(p.force.z);
    density += p.density;
    pressure += p.pressure;
  }
  printf("position %.5f %.5f %.5f\n", position[0], position[1], position[2]);
  printf("velocity %.4f %.4f %.4f\n", velocity[0], velocity[1], velocity[2]);
  printf("force %.2f density %.2f pressure %.2f\n", force, density, pressure);
}

static void printCells(const std::vector<CellRange> &cells) {
  int occupied = 0, largest = 0;
  long checksum = 0;
  for (size_t i = 0; i < cells.size(); i++) {
    const int n = cells[i].end - cells[i].begin;
    if (n > 0) occupied++;
    largest = std::max(largest, n);
    checksum += static_cast<long>(i + 1) * n;
  }
  printf("%d of %zu cells, %d particles in the fullest, %ld\n", occupied, cells.size(), largest, checksum);
}

static bool compare(std::vector<Particle> got, const std::vector<Particle> &expected) {
  std::sort(got.begin(), got.end(), [](const Particle &a, const Particle &b) { return a.id < b.id; });
  for (size_t i = 0; i < got.size(); i++) {
    const float far = length(got[i].position - expected[i].position);
    const float fast = length(got[i].velocity - expected[i].velocity);
    const float dense = fabsf(got[i].density - expected[i].density);
    if (!(far < 1e-3f && fast < 0.1f && dense < 0.02f * expected[i].density)) {
      printf("particle %zu: %g away, %g faster, %g denser\n", i, far, fast, dense);
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  const int side = argc > 1 ? atoi(argv[1]) : 7;
  const int steps = argc > 2 ? atoi(argv[2]) : 6;
  Scene scene = makeDamBreak(side);
  printf("%zu particles, %zu samples of walls, %d x %d x %d cells\n", scene.particles.size(), scene.walls.size(),
         scene.params.gridSize.x, scene.params.gridSize.y, scene.params.gridSize.z);

  FluidSolver solver(scene.params, scene.particles, scene.walls);
  for (int i = 0; i < steps; i++) {
    solver.step();
    printf("step %d: energy %.5f\n", i, solver.kineticEnergy());
  }
  const std::vector<Particle> particles = solver.particles();
  printState(particles);
  printCells(solver.cells());
  double red = 0, green = 0;
  for (const float4 &c : solver.colours()) {
    red += c.x;
    green += c.y;
  }
  printf("colours %.4f %.4f\n", red, green);

  for (int i = 0; i < steps; i++) referenceStep(scene);
  const bool ok = compare(particles, scene.particles);
  printf("%s\n", ok ? "PASSED" : "FAILED");
  return ok ? 0 : 1;
}
