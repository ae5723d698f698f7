#pragma once

#include "device_array.cuh"
#include "fluid.cuh"

#include <vector>

class FluidSolver {
public:
  FluidSolver(const FluidParams &params, const std::vector<Particle> &particles,
              const std::vector<BoundaryParticle> &walls);

  void step();

  std::vector<Particle> particles() const { return particles_.toHost(); }
  std::vector<CellRange> cells() const { return cells_.toHost(); }
  std::vector<float4> colours();
  float kineticEnergy();

private:
  void buildGrid();
  void sortKeys();

  FluidParams params_;
  DeviceArray<Particle> particles_;
  DeviceArray<Particle> sorted_;
  DeviceArray<BoundaryParticle> walls_;
  DeviceArray<CellKey> keys_;
  DeviceArray<CellRange> cells_;
  DeviceArray<float4> colours_;
  DeviceArray<float> energy_;
};
