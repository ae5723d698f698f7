#pragma once

// A mass point.
struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    int id;
};

// Moves `n` particles in device memory.
void step(Particle *d_particles, int n, float dt);
