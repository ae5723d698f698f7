// The lattice: nodes, what measures them, and what they lie in.
#ifndef LATTICE_H
#define LATTICE_H

#include <cuda_runtime.h>

#define Q 19

enum NodeFlags { FLUID = 0, WALL = 1, OBSTACLE = 2 };

typedef struct Node {
  float f[Q];
  float density;
  float u[3];
  unsigned char flags;
  unsigned short visits;
} Node;

typedef struct {
  int x, y, z;
  float density;
  float3 velocity;
  float sum;
} Probe;

// A link from a fluid node to an obstacle, to measure forces by exchange of momentum.
struct SurfaceLink {
  int node;
  short direction;
  short obstacle;
  float force[3];
};

struct Obstacle {
  float x, y, z, radius;
};

struct Domain {
  int nx, ny, nz;
  float omega;
  float bodyForce;

  __host__ __device__ int size() const { return nx * ny * nz; }
  __host__ __device__ int index(int x, int y, int z) const { return (z * ny + y) * nx + x; }
};

// Everything on the device; kernels get it by value.
struct DeviceLattice {
  Node *nodes;
  Node *next;
  Probe *probes;
  SurfaceLink *links;
  Obstacle *obstacles;
  int nodeCount;
  int probeCount;
  int linkCount;
  int obstacleCount;
};

#endif
