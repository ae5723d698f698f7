//@ layouts = ["P = tiled(32)", "P = soa"]
// `System` is first declared in a header that the file with the kernel does not include.
#include "collision.h"
void Wall::load() { count = 3; }
//- collision.h
#pragma once
class System;
class Wall { public: void apply(System *system); void load(); int count; };
//- constraint.h
#pragma once
#include <string>
class System;
class Constraint { public: virtual ~Constraint() {} virtual void apply(System *system) = 0; };
class Pin : public Constraint { public: void apply(System *system); void call(const std::string &name, System &system); };
//- system.h
#pragma once
#include <vector>
class Constraint;
struct P { float x, y; int z; };
class System { public: P *particles; int n; std::vector<Constraint *> constraints; void run(); };
//- constraint.cu
#include "constraint.h"
#include "system.h"
using namespace std;
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
void Pin::apply(System *system) { step<<<1, 64>>>(system->particles, system->n); }
void Pin::call(const string &name, System &system) { if (!name.empty()) apply(&system); }
//- system.cu
#include "system.h"
#include "collision.h"
#include "constraint.h"
#include <cstdio>
void System::run() {
    for (auto constraint : constraints) constraint->apply(this);
    for (size_t i = 0; i < constraints.size(); i++) constraints[i]->apply(this);
    constraints.front()->apply(this);
}
int main() {
    P h[50];
    for (int i = 0; i < 50; i++) { h[i].x = i; h[i].y = 1; h[i].z = 3; }
    System system;
    system.n = 50;
    cudaMalloc(&system.particles, sizeof h);
    cudaMemcpy(system.particles, h, sizeof h, cudaMemcpyHostToDevice);
    Pin pin;
    system.constraints.push_back(&pin);
    system.run();
    pin.call("one more", system);
    cudaMemcpy(h, system.particles, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 50; i++) printf("%g\n", h[i].x);
    cudaFree(system.particles);
    return 0;
}
