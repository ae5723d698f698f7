#pragma once

#include "cl_launcher.hpp"
#include "types.h"

#include <string>
#include <vector>

struct Setup {
  World world;
  std::vector<Body> bodies;
  std::vector<Plane> planes;
  std::vector<Joint> joints;
  int iterations = 4;
};

// Balls that fall into a box, some of them in a chain.
Setup makeSetup(int bodies);

class Simulation {
public:
  Simulation(const ocl::Context &context, const Setup &setup);
  ~Simulation();

  void step();

  std::vector<Body> bodies() const { return bodies_.read(); }
  std::vector<Contact> contacts() const { return contacts_.read(); }
  std::vector<int> contactCounts() const { return counts_.read(); }
  std::vector<Cell> cells() const { return cells_.read(); }

private:
  void broadPhase();
  void narrowPhase();
  void solve();

  const ocl::Context &context_;
  std::string options_;
  cl_program collide_;
  cl_program solve_;
  World world_;
  int iterations_;

  ocl::Buffer<Body> bodies_;
  ocl::Buffer<Plane> planes_;
  ocl::Buffer<Joint> joints_;
  ocl::Buffer<Cell> cells_;
  ocl::Buffer<int> members_;
  ocl::Buffer<Contact> contacts_;
  ocl::Buffer<int> counts_;
  ocl::Buffer<Change> changes_;

  ocl::Launcher countBodies_, findFirst_, fillCells_, findContacts_;
  ocl::Launcher applyGravity_, applyJoints_, solveContacts_, applyChanges_, moveBodies_;
};
