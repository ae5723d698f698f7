// What a fluid consists of.
#pragma once

#include <cuda_runtime.h>

struct Particle {
  float3 position;
  float3 velocity;
  float3 force;
  float density;
  float pressure;
  unsigned int id;
};

// Fixed samples of a wall.
struct BoundaryParticle {
  float3 position;
  float3 normal;
  float volume;
};

// A cell of the neighbour grid: a range of the sorted particles.
struct CellRange {
  int begin;
  int end;
};

// A particle and the cell that it is in, to sort by.
struct CellKey {
  unsigned int cell;
  int particle;
};

struct FluidParams {
  float3 origin;
  float3 extent;
  float3 gravity;
  int3 gridSize;
  float cellSize;
  float smoothing;
  float mass;
  float restDensity;
  float stiffness;
  float viscosity;
  float timeStep;
};
