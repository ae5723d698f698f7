#pragma once

#pragma layoutc layout({x y vx vy} align(16), {*})
struct Body {
    float x, y;
    float vx, vy;
    float mass, charge;
};

// Moves one body.
__device__ void advance(Body *bodies, int i, float dt);
