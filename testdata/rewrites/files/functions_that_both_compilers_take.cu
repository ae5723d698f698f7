//@ layouts = ["sim::Body = tiled(32)", "sim::Body = soa"]
// The CPU's reference calls what the kernels call: the versions for device memory are nvcc's alone.
#include "bodies.h"
#include "device.h"
namespace sim {
__global__ void step(Body *p, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) move(&p[i], dt);
}
void stepOnDevice(Body *d_bodies, float dt, int n) {
    step<<<(n + 127) / 128, 128>>>(d_bodies, dt, n);
}
}
//- bodies.h
#pragma once
#include <cuda_runtime.h>
namespace sim {
struct Body { float x, v; int id; };
__host__ __device__ inline void drag(Body *b) { b->v *= 0.5f; }
__host__ __device__ inline void move(Body *b, float dt) {
    b->x += b->v * dt;
    drag(b);
}
}
//- device.h
#pragma once
namespace sim {
struct Body;
void stepOnDevice(Body *d_bodies, float dt, int n);
}
//- buffer.h
#pragma once
#include "bodies.h"
// An owner whose members stand in a header.
class Bodies {
public:
    explicit Bodies(int n) : count(n) { cudaMalloc(&data, count * sizeof(sim::Body)); }
    ~Bodies() { cudaFree(data); }
    Bodies(const Bodies &) = delete;
    Bodies &operator=(const Bodies &) = delete;
    void upload(const sim::Body *from) { cudaMemcpy(data, from, count * sizeof(sim::Body), cudaMemcpyHostToDevice); }
    void download(sim::Body *to) const { cudaMemcpy(to, data, count * sizeof(sim::Body), cudaMemcpyDeviceToHost); }
    sim::Body *data = nullptr;
private:
    int count;
};
//- main.cpp
#include "buffer.h"
#include "device.h"
#include <cstdio>
int main() {
    const int n = 100;
    sim::Body onHost[n], fromDevice[n];
    for (int i = 0; i < n; i++) onHost[i] = {float(i), 1.0f, i};
    Bodies bodies(n);
    bodies.upload(onHost);
    for (int t = 0; t < 3; t++) {
        sim::stepOnDevice(bodies.data, 0.5f, n);
        for (int i = 0; i < n; i++) sim::move(&onHost[i], 0.5f);
    }
    bodies.download(fromDevice);
    int same = 0;
    for (int i = 0; i < n; i++) same += onHost[i].x == fromDevice[i].x && onHost[i].id == fromDevice[i].id;
    std::printf("%d\n", same);
}
