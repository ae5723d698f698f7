#pragma once
#include <particle.h>

// Prints the sum of all places and the energy.
void report(const Particle *particles, int n);

inline float square(float v)
{
    return v * v;
}
