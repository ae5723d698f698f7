/* Flow around two spheres in a channel: lattice Boltzmann, D3Q19, one relaxation time.
 *
 * usage: lattice [nodes along the channel] [steps]
 */
#include "reference.h"
#include "simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static Domain makeDomain(int length) {
  Domain domain;
  domain.nx = length;
  domain.ny = length > 0 ? (length + 1) / 2 + 2 : 0;
  domain.nz = length > 0 ? (length + 2) / 2 : 0;
  domain.omega = 1.2f;
  domain.bodyForce = 1e-4f;
  return domain;
}

static std::vector<Obstacle> makeObstacles(const Domain &domain) {
  std::vector<Obstacle> obstacles;
  float r = 0.12f * domain.nx;
  obstacles.push_back({0.3f * domain.nx, 0.4f * domain.ny, 0.5f * domain.nz, r});
  obstacles.push_back({0.7f * domain.nx, 0.6f * domain.ny, 0.4f * domain.nz, 0.7f * r});
  return obstacles;
}

static void printNodes(const std::vector<Node> &nodes) {
  double f[Q] = {0}, density = 0, ux = 0, uy = 0, uz = 0;
  long flags = 0, visits = 0;
  for (size_t i = 0; i < nodes.size(); i++) {
    for (int q = 0; q < Q; q++) f[q] += nodes[i].f[q];
    density += nodes[i].density;
    ux += nodes[i].u[0];
    uy += fabsf(nodes[i].u[1]);
    uz += fabsf(nodes[i].u[2]);
    flags += (long)(i % 7 + 1) * nodes[i].flags;
    visits += nodes[i].visits;
  }
  for (int q = 0; q < Q; q++) printf("f%d %.4f%s", q, f[q], q % 5 == 4 || q == Q - 1 ? "\n" : "  ");
  printf("density %.4f, velocity %.4f %.4f %.4f, flags %ld, visits %ld\n", density, ux, uy, uz, flags, visits);
}

static int compare(const std::vector<Node> &got, const std::vector<Node> &expected) {
  int wrong = 0;
  for (size_t i = 0; i < got.size(); i++) {
    float worst = fabsf(got[i].density - expected[i].density);
    for (int q = 0; q < Q; q++) worst = fmaxf(worst, fabsf(got[i].f[q] - expected[i].f[q]));
    if (!(worst < 1e-4f) || got[i].visits != expected[i].visits) wrong++;
  }
  if (wrong > 0) printf("%d nodes are wrong\n", wrong);
  return wrong;
}

int main(int argc, char *argv[]) {
  int length = argc > 1 ? atoi(argv[1]) : 19;
  int steps = argc > 2 ? atoi(argv[2]) : 15;
  Domain domain = makeDomain(length);
  Simulation simulation(domain, makeObstacles(domain));
  printf("%d x %d x %d nodes, %zu links to obstacles\n", domain.nx, domain.ny, domain.nz, simulation.linkCount());
  const std::vector<Node> start = simulation.nodes();

  simulation.addProbe(domain.nx / 2, domain.ny / 2, domain.nz / 2);
  simulation.addProbe(domain.nx - 1, domain.ny / 3, 0);
  for (int t = 0; t < steps; t++) {
    if (t == steps / 2) simulation.addProbe(0, domain.ny / 2, domain.nz / 3);
    simulation.step();
  }
  simulation.synchronise();

  printNodes(simulation.nodes());
  for (size_t i = 0; i < simulation.probes().size(); i++) {
    const Probe &p = simulation.probes()[i];
    printf("probe (%d %d %d): density %.5f, velocity %.5f %.5f %.5f, sum %.5f\n", p.x, p.y, p.z, p.density,
           p.velocity.x, p.velocity.y, p.velocity.z, p.sum);
  }
  for (int o = 0; o < 2; o++) {
    float3 force = simulation.forceOn(o);
    printf("force on obstacle %d: %.4f %.4f %.4f\n", o, force.x, force.y, force.z);
  }
  printf("mass %.3f\n", simulation.mass());

  int wrong = compare(simulation.nodes(), referenceRun(start, domain, steps));
  printf(wrong == 0 ? "PASSED\n" : "FAILED\n");
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
