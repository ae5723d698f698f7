#pragma once

// One fluid (or wall) particle of the two-dimensional dam break.
struct Particle {
  float x, y;
  float vx, vy;
  float ax, ay;
  float density;
  float pressure;
  int fixed;  // 1 for the particles that make up the walls
};
