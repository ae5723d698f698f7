#include "world.hpp"

#include <cmath>

static unsigned random_state = 7u;

static float uniform(float low, float high) {
  random_state = random_state * 1664525u + 1013904223u;
  return low + (high - low) * static_cast<float>(random_state >> 8) / 16777216.0f;
}

Setup makeSetup(int bodies) {
  Setup setup;
  random_state = 7u;
  const int side = static_cast<int>(std::ceil(std::cbrt(static_cast<float>(bodies)))) + 1;
  const float size = 1.1f * static_cast<float>(side);

  World &world = setup.world;
  world.gravity = {{0.0f, -9.81f, 0.0f, 0.0f}};
  world.origin = {{0.0f, 0.0f, 0.0f, 0.0f}};
  world.cellSize = 1.0f;
  world.cellsX = world.cellsZ = static_cast<int>(size) + 1;
  world.cellsY = 2 * side + 2;
  world.timeStep = 0.01f;
  world.bodies = bodies;

  for (int i = 0; i < bodies; i++) {
    Body body = {};
    const float x = static_cast<float>(i % side), y = static_cast<float>(i / (side * side));
    const float z = static_cast<float>(i / side % side);
    body.radius = uniform(0.3f, 0.5f);
    body.position = {{0.55f + 0.9f * x + uniform(-0.1f, 0.1f), 0.5f + 0.9f * y, 0.55f + 0.9f * z + uniform(-0.1f, 0.1f),
                      1.0f}};
    body.orientation = {{0.0f, 0.0f, 0.0f, 1.0f}};
    body.velocity = {{uniform(-1.0f, 1.0f), uniform(-2.0f, 0.0f), uniform(-1.0f, 1.0f), 0.0f}};
    body.spin = {{uniform(-3.0f, 3.0f), 0.0f, uniform(-3.0f, 3.0f), 0.0f}};
    body.inverseMass = 0.1f / (body.radius * body.radius * body.radius);
    body.friction = uniform(0.4f, 0.9f);
    body.restitution = uniform(0.1f, 0.5f);
    if (i % 31 == 30) {
      body.flags = BODY_STATIC;
      body.inverseMass = 0.0f;
      body.velocity = body.spin = {{0.0f, 0.0f, 0.0f, 0.0f}};
    }
    setup.bodies.push_back(body);
  }
  for (int i = 0; i + 1 < bodies / 4; i++) {
    setup.bodies[i].flags |= BODY_LINKED;
    setup.bodies[i + 1].flags |= BODY_LINKED;
    setup.joints.push_back({i, i + 1, setup.bodies[i].radius + setup.bodies[i + 1].radius, 400.0f});
  }
  setup.planes.push_back({{{0.0f, 1.0f, 0.0f, 0.0f}}, 0.8f});
  setup.planes.push_back({{{1.0f, 0.0f, 0.0f, 0.0f}}, 0.3f});
  setup.planes.push_back({{{-1.0f, 0.0f, 0.0f, -size}}, 0.3f});
  setup.planes.push_back({{{0.0f, 0.0f, 1.0f, 0.0f}}, 0.3f});
  setup.planes.push_back({{{0.0f, 0.0f, -1.0f, -size}}, 0.3f});
  world.planes = static_cast<int>(setup.planes.size());
  return setup;
}

Simulation::Simulation(const ocl::Context &context, const Setup &setup)
    : context_(context), options_("-I ."), collide_(context.build("kernels/collide.cl", options_)),
      solve_(context.build("kernels/solve.cl", options_)), world_(setup.world), iterations_(setup.iterations),
      bodies_(context, setup.bodies), planes_(context, setup.planes), joints_(context, setup.joints),
      cells_(context, static_cast<size_t>(world_.cellsX * world_.cellsY * world_.cellsZ)),
      members_(context, setup.bodies.size()), contacts_(context, setup.bodies.size() * MAX_CONTACTS),
      counts_(context, setup.bodies.size()), changes_(context, setup.bodies.size()),
      countBodies_(context, collide_, "countBodies"), findFirst_(context, collide_, "findFirst"),
      fillCells_(context, collide_, "fillCells"), findContacts_(context, collide_, "findContacts"),
      applyGravity_(context, solve_, "applyGravity"), applyJoints_(context, solve_, "applyJoints"),
      solveContacts_(context, solve_, "solveContacts"), applyChanges_(context, solve_, "applyChanges"),
      moveBodies_(context, solve_, "moveBodies") {
  cells_.zero();
  contacts_.zero();
  counts_.zero();
}

Simulation::~Simulation() {
  clReleaseProgram(collide_);
  clReleaseProgram(solve_);
}

void Simulation::broadPhase() {
  cells_.zero();
  countBodies_.setBuffer(bodies_).setBuffer(cells_).setConst(world_);
  countBodies_.launch1D(bodies_.size());
  findFirst_.setBuffer(cells_).setConst(static_cast<cl_int>(cells_.size()));
  findFirst_.launch1D(1, 1);
  fillCells_.setBuffer(bodies_).setBuffer(cells_).setBuffer(members_).setConst(world_);
  fillCells_.launch1D(bodies_.size());
}

void Simulation::narrowPhase() {
  findContacts_.setBuffer(bodies_).setBuffer(cells_).setBuffer(members_).setBuffer(planes_);
  findContacts_.setBuffer(contacts_).setBuffer(counts_).setConst(world_);
  findContacts_.launch1D(bodies_.size());
}

void Simulation::solve() {
  applyGravity_.setBuffer(bodies_).setConst(world_).launch1D(bodies_.size());
  for (cl_int first = 0; first < 2; first++) {
    const cl_int count = static_cast<cl_int>(joints_.size());
    applyJoints_.setBuffer(bodies_).setBuffer(joints_).setConst(first).setConst(count).setConst(world_.timeStep);
    applyJoints_.launch1D((joints_.size() + 1) / 2, 32);
  }
  for (int i = 0; i < iterations_; i++) {
    solveContacts_.setBuffer(bodies_).setBuffer(planes_).setBuffer(contacts_).setBuffer(counts_);
    solveContacts_.setBuffer(changes_).setConst(world_);
    solveContacts_.launch1D(bodies_.size());
    applyChanges_.setBuffer(bodies_).setBuffer(changes_).setConst(world_);
    applyChanges_.launch1D(bodies_.size());
  }
}

void Simulation::step() {
  broadPhase();
  narrowPhase();
  solve();
  moveBodies_.setBuffer(bodies_).setConst(world_).launch1D(bodies_.size());
  context_.finish();
}
