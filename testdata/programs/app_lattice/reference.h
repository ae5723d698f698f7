#ifndef REFERENCE_H
#define REFERENCE_H

#include "lattice.h"

#include <vector>

// The lattice after some steps from where `nodes` begins.
std::vector<Node> referenceRun(std::vector<Node> nodes, const Domain &domain, int steps);

#endif
