#pragma once

#include "fluid.cuh"

#include <vector>

struct Scene {
  FluidParams params;
  std::vector<Particle> particles;
  std::vector<BoundaryParticle> walls;
};

// A block of fluid in the corner of a box.
Scene makeDamBreak(int side);

// The same simulation without grid and without GPU.
void referenceStep(Scene &scene);
