#pragma once

#include "world.hpp"

struct ReferenceState {
  std::vector<Body> bodies;
  std::vector<std::vector<Contact>> contacts;
};

// One step on the host, without a grid.
void referenceStep(const Setup &setup, ReferenceState &state);
