#include "scene.h"

#include "kernels.cuh"

namespace {

unsigned int lcgState = 99u;

float jitter() {
  lcgState = lcgState * 1664525u + 1013904223u;
  return (static_cast<float>(lcgState >> 8) / 16777216.0f - 0.5f) * 0.002f;
}

FluidParams makeParams(int side) {
  FluidParams params;
  params.smoothing = 0.1f;
  params.cellSize = params.smoothing;
  params.origin = make_float3(0.0f, 0.0f, 0.0f);
  params.extent = make_float3(0.1f * side + 0.3f, 0.05f * side + 0.3f, 0.05f * side + 0.1f);
  params.gravity = make_float3(0.0f, -9.81f, 0.0f);
  params.gridSize = make_int3(static_cast<int>(params.extent.x / params.cellSize) + 1,
                              static_cast<int>(params.extent.y / params.cellSize) + 1,
                              static_cast<int>(params.extent.z / params.cellSize) + 1);
  params.restDensity = 1000.0f;
  params.mass = params.restDensity * 0.05f * 0.05f * 0.05f;
  params.stiffness = 3.0f;
  params.viscosity = 4.0f;
  params.timeStep = 0.002f;
  return params;
}

void addWall(Scene &scene, float3 corner, float3 right, float3 up, float3 normal) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      BoundaryParticle wall;
      wall.position = corner + right * (0.5f * i) + up * (0.5f * j);
      wall.normal = normal;
      wall.volume = 0.02f;
      scene.walls.push_back(wall);
    }
  }
}

} // namespace

Scene makeDamBreak(int side) {
  Scene scene;
  scene.params = makeParams(side);
  lcgState = 99u;
  for (int z = 0; z < side; z++) {
    for (int y = 0; y < side + 1; y++) {
      for (int x = 0; x < side; x++) {
        Particle p = {};
        p.position = make_float3(0.03f + 0.05f * x + jitter(), 0.03f + 0.05f * y + jitter(), 0.03f + 0.05f * z + jitter());
        p.density = scene.params.restDensity;
        p.id = static_cast<unsigned int>(scene.particles.size());
        scene.particles.push_back(p);
      }
    }
  }
  const float3 size = scene.params.extent;
  addWall(scene, make_float3(0, 0, 0), make_float3(size.x, 0, 0), make_float3(0, 0, size.z), make_float3(0, 1, 0));
  addWall(scene, make_float3(0, 0, 0), make_float3(0, size.y, 0), make_float3(0, 0, size.z), make_float3(1, 0, 0));
  addWall(scene, make_float3(size.x, 0, 0), make_float3(0, size.y, 0), make_float3(0, 0, size.z),
          make_float3(-1, 0, 0));
  return scene;
}

void referenceStep(Scene &scene) {
  const FluidParams &params = scene.params;
  std::vector<Particle> &particles = scene.particles;
  for (Particle &p : particles) {
    p.density = 0.0f;
    for (const Particle &q : particles) {
      const float3 r = p.position - q.position;
      p.density += params.mass * poly6(dot(r, r), params.smoothing);
    }
    p.pressure = pressureOf(p.density, params);
  }
  for (size_t i = 0; i < particles.size(); i++) {
    float3 force = make_float3(0.0f, 0.0f, 0.0f);
    for (size_t j = 0; j < particles.size(); j++) {
      if (i != j) force += pairForce(particles[i], particles[j], params);
    }
    for (const BoundaryParticle &wall : scene.walls) force += boundaryForce(particles[i], &wall, params);
    particles[i].force = force;
  }
  for (Particle &p : particles) integrate(p, params);
}
