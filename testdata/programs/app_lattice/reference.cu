#include "reference.h"

#include "d3q19.h"

#include <utility>

std::vector<Node> referenceRun(std::vector<Node> nodes, const Domain &domain, int steps) {
  std::vector<Node> next = nodes;
  for (int t = 0; t < steps; t++) {
    for (int z = 0; z < domain.nz; z++) {
      for (int y = 0; y < domain.ny; y++) {
        for (int x = 0; x < domain.nx; x++) {
          int i = domain.index(x, y, z);
          if (nodes[i].flags != FLUID) continue;
          Node &node = next[i];
          for (int q = 0; q < Q; q++) node.f[q] = pull(nodes.data(), x, y, z, q, domain);
          node.visits = nodes[i].visits + 1;
          collide(node, domain);
        }
      }
    }
    std::swap(nodes, next);
  }
  return nodes;
}
