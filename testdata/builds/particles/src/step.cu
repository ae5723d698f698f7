#include "particle.h"

#define BLOCK 128

__global__ void drift(Particle *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
    }
}

__global__ void damp(Particle *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float factor = 1.0f - dt / p[i].mass;
        p[i].vx *= factor;
        p[i].vy *= factor;
        p[i].vz *= factor;
    }
}

void step(Particle *d_particles, int n, float dt)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    drift<<<blocks, BLOCK>>>(d_particles, n, dt);
    damp<<<blocks, BLOCK>>>(d_particles, n, dt);
}
