//@ layouts = ["Body = tiled(32)", "Body = soa"]
// What the program's users see is a class with a pointer to a class that only one file knows.
#include "simulation.h"
#include <cstdio>
struct Body { float x, v, m; };
__global__ void fill(Body *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { b[i].x = i; b[i].v = 0.5f * i; b[i].m = 1; } }
__global__ void step(Body *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i].x += b[i].v * b[i].m; }
struct lab::Simulation::Impl {
    Body *bodies = nullptr;
    int n;
    explicit Impl(int count);
    ~Impl();
    void run(int steps);
    float sum() const;
};
namespace lab {
Simulation::Impl::Impl(int count) : n(count) { cudaMalloc(&bodies, n * sizeof(Body)); fill<<<(n + 63) / 64, 64>>>(bodies, n); }
Simulation::Impl::~Impl() { cudaFree(bodies); }
void Simulation::Impl::run(int steps) { for (int i = 0; i < steps; i++) step<<<(n + 63) / 64, 64>>>(bodies, n); }
float Simulation::Impl::sum() const {
    Body *h = new Body[n];
    cudaMemcpy(h, bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x;
    delete[] h;
    return sum;
}
Simulation::Simulation(int n) : impl(std::make_unique<Impl>(n)) {}
Simulation::~Simulation() = default;
void Simulation::run(int steps) { impl->run(steps); }
float Simulation::sum() const { return impl->sum(); }
}
//- simulation.h
#pragma once
#include <memory>
namespace lab {
class Simulation {
public:
    explicit Simulation(int n);
    ~Simulation();
    void run(int steps);
    float sum() const;
private:
    struct Impl;
    std::unique_ptr<Impl> impl;
};
}
//- main.cu
#include "simulation.h"
#include <cstdio>
int main() {
    lab::Simulation simulation(100);
    simulation.run(3);
    printf("%g\n", simulation.sum());
    return 0;
}
