#include "body.h"

__device__ void advance(Body *bodies, int i, float dt)
{
    bodies[i].x += bodies[i].vx * dt;
    bodies[i].y += bodies[i].vy * dt;
}
