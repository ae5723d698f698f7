//@ layouts = ["* = soa", "* = tiled(32)"]
// An owner of the standard library in a header that files of the host compiler include; the deleter is defined in one of them.
#include "world.h"
__global__ void advance(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].position.x += bodies[i].velocity.x;
}
void launch(Body *bodies, int n) { advance<<<(n + 63) / 64, 64>>>(bodies, n); }
//- world.h
#pragma once
#include <memory>
#include <cuda_runtime.h>
struct Body {
    float3 position;
    float mass;
    float3 velocity;
    int id;
};
struct Deleter {
    void operator()(void *memory) const noexcept;
};
template <class T>
using Device = std::unique_ptr<T[], Deleter>;
class World {
public:
    explicit World(int n);
    void step();
    void get(Body *out) const;

private:
    int n;
    Device<Body> bodies;
};
void launch(Body *bodies, int n);
//- world.cpp
#include "world.h"
#include <cstdio>
#include <utility>
#include <vector>
void Deleter::operator()(void *memory) const noexcept { cudaFree(memory); }
World::World(int n) : n(n) {
    Body *memory = nullptr;
    if (cudaMalloc(reinterpret_cast<void **>(&memory), n * sizeof(Body)) != cudaSuccess)
        return;
    bodies.reset(memory);
    std::vector<Body> host(n);
    for (int i = 0; i < n; i++) {
        host[i].position = make_float3(i, 1, 2);
        host[i].velocity = make_float3(1, 1, 1);
        host[i].mass = 1;
        host[i].id = i;
    }
    cudaMemcpy(bodies.get(), host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
}
void World::step() { launch(bodies.get(), n); }
void World::get(Body *out) const { cudaMemcpy(out, bodies.get(), n * sizeof(Body), cudaMemcpyDeviceToHost); }
int main() {
    World world(1000), other(10);
    world.step();
    other = std::move(world);
    other.step();
    std::vector<Body> host(1000);
    other.get(host.data());
    double sum = 0;
    for (const Body &body : host)
        sum += body.position.x + body.id;
    printf("%f\n", sum);
    return 0;
}
