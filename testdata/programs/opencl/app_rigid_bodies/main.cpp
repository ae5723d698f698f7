// Balls that fall into a box: a grid to find pairs, contacts, and Jacobi iterations over impulses.
//
// usage: rigid_bodies [bodies] [steps]
#include "reference.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

static void printBodies(const std::vector<Body> &bodies) {
  double sums[4][4] = {};
  double scalars[4] = {};
  long cells = 0;
  unsigned flags = 0;
  for (const Body &body : bodies) {
    for (int k = 0; k < 4; k++) {
      sums[0][k] += body.position.s[k];
      sums[1][k] += body.orientation.s[k];
      sums[2][k] += body.velocity.s[k];
      sums[3][k] += body.spin.s[k];
    }
    scalars[0] += body.radius;
    scalars[1] += body.inverseMass;
    scalars[2] += body.friction;
    scalars[3] += body.restitution;
    cells += body.cell;
    flags = flags * 3u + body.flags;
  }
  const char *names[4] = {"position", "orientation", "velocity", "spin"};
  for (int v = 0; v < 4; v++) {
    std::printf("%s %.2f %.2f %.2f %.2f\n", names[v], sums[v][0], sums[v][1], sums[v][2], sums[v][3]);
  }
  std::printf("scalars %.3f %.3f %.3f %.3f, cells %ld, flags %u\n", scalars[0], scalars[1], scalars[2], scalars[3],
              cells, flags);
}

static void printContacts(const std::vector<Contact> &contacts, const std::vector<int> &counts) {
  int total = 0, walls = 0;
  double depth = 0.0, impulse = 0.0, up = 0.0;
  for (size_t i = 0; i < counts.size(); i++) {
    for (int c = 0; c < counts[i]; c++) {
      const Contact &contact = contacts[i * MAX_CONTACTS + c];
      total++;
      if (contact.other < 0) walls++;
      depth += contact.depth;
      impulse += contact.impulse;
      up += std::fabs(contact.normal.s[1]);
    }
  }
  std::printf("%d contacts, %d with walls: depth %.3f, impulse %.2f, upwards %.2f\n", total, walls, depth, impulse, up);
}

static void printCells(const std::vector<Cell> &cells) {
  int fullest = 0;
  long checksum = 0;
  for (size_t c = 0; c < cells.size(); c++) {
    fullest = cells[c].count > fullest ? cells[c].count : fullest;
    checksum += static_cast<long>(c % 13 + 1) * (cells[c].count + cells[c].filled) + cells[c].first;
  }
  std::printf("%zu cells, %d in the fullest, checksum %ld\n", cells.size(), fullest, checksum);
}

static bool compare(const std::vector<Body> &bodies, const std::vector<Body> &expected) {
  for (size_t i = 0; i < bodies.size(); i++) {
    float far = 0.0f, fast = 0.0f, turned = 0.0f;
    for (int k = 0; k < 4; k++) {
      far += std::fabs(bodies[i].position.s[k] - expected[i].position.s[k]);
      fast += std::fabs(bodies[i].velocity.s[k] - expected[i].velocity.s[k]);
      turned += std::fabs(bodies[i].orientation.s[k] - expected[i].orientation.s[k]);
    }
    if (!(far < 5e-3f && fast < 0.1f && turned < 0.02f)) {
      std::printf("body %zu: %g away, %g faster, turned by %g\n", i, far, fast, turned);
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 150;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 25;
  try {
    const Setup setup = makeSetup(count);
    std::printf("%d bodies, %zu joints, %zu planes, %d steps\n", count, setup.joints.size(), setup.planes.size(), steps);
    ocl::Context context;
    Simulation simulation(context, setup);
    for (int i = 0; i < steps; i++) simulation.step();
    const std::vector<Body> bodies = simulation.bodies();
    printBodies(bodies);
    printContacts(simulation.contacts(), simulation.contactCounts());
    printCells(simulation.cells());

    ReferenceState state;
    state.bodies = setup.bodies;
    for (int i = 0; i < steps; i++) referenceStep(setup, state);
    const bool ok = compare(bodies, state.bodies);
    std::printf("%s\n", ok ? "PASSED" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
