//@ layouts = ["Body = tiled(32)", "Body = soa"]
// The world's arrays are static members: defined outside of the class, named in every way.
#include "world.h"
#include <cstdio>
__global__ void heavier(Body *bodies, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].m += 1.0f;
}
namespace sim {
struct Planets : World {
    static void grow() { heavier<<<8, 128>>>(bodies, 1000); }
};
}
int main()
{
    sim::World world, *same = &world;
    world.init(1000);
    for (int i = 0; i < 5; ++i)
        same->step(0.5f);
    heavier<<<8, 128>>>(sim::World::bodies, 1000);
    heavier<<<8, 128>>>(world.bodies, 1000);
    heavier<<<8, 128>>>(same->bodies, 1000);
    heavier<<<8, 128>>>(sim::Planets::bodies, 1000);
    sim::Planets::grow();
    printf("%g\n", world.mass());
    Body first;
    cudaMemcpy(&first, sim::World::front(), sizeof(Body), cudaMemcpyDeviceToHost);
    printf("%g\n", first.x);
    world.done();
}
//- world.h
#pragma once
#include <cstddef>
struct Body { float x, y, z, m; };
namespace sim {
class World {
public:
    static void init(size_t n);
    static void step(float dt);
    static float mass();
    static Body *front() { return buffers[0]; }
    static void done();
    static Body *bodies;
    static const int block = 128;
private:
    static Body *buffers[2];
    static size_t count;
};
}
//- world.cu
#include "world.h"
#include <vector>
namespace sim {
Body *World::bodies = nullptr;
Body *World::buffers[2]{nullptr, nullptr};
size_t World::count = 0;
const int World::block;
__global__ void advance(Body *to, const Body *from, size_t n, float dt)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    to[i] = from[i];
    to[i].x += dt * from[i].y;
}
void World::init(size_t n)
{
    count = n;
    std::vector<Body> start(n);
    for (size_t i = 0; i < n; ++i)
        start[i] = Body{i * 1.0f, 2.0f, 3.0f, 1.0f};
    cudaMalloc(&bodies, n * sizeof(Body));
    cudaMalloc(&buffers[0], n * sizeof(Body));
    cudaMalloc((void **)&World::buffers[1], n * sizeof(Body));
    cudaMemcpy(World::bodies, start.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    cudaMemcpy(buffers[0], bodies, n * sizeof(Body), cudaMemcpyDeviceToDevice);
}
void World::step(float dt)
{
    advance<<<(count + block - 1) / block, block>>>(buffers[1], World::buffers[0], count, dt);
    Body *before = buffers[0];
    buffers[0] = buffers[1];
    buffers[1] = before;
}
float World::mass()
{
    std::vector<Body> now(count);
    cudaMemcpy(now.data(), bodies, count * sizeof(Body), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (const Body &body : now)
        sum += body.m;
    return sum;
}
void World::done()
{
    cudaFree(buffers[0]);
    cudaFree(buffers[1]);
    cudaFree(bodies);
}
}
