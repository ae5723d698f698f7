#include "report.h"

#include <cstdio>

void report(const Particle *particles, int n)
{
    float places = 0, energy = 0;
    for (int i = 0; i < n; ++i) {
        const Particle &p = particles[i];
        places += p.x + p.y + p.z;
        energy += p.mass * (square(p.vx) + square(p.vy) + square(p.vz)) / 2;
    }
    std::printf("%.3f %.3f\n", places, energy);
}
