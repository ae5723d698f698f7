/* What host and kernels share. */
#ifndef TYPES_H
#define TYPES_H

#ifdef __OPENCL_VERSION__
typedef float4 Vec4;
typedef int Int;
typedef uint Uint;
typedef float Real;
#else
#include <CL/cl.h>
typedef cl_float4 Vec4;
typedef cl_int Int;
typedef cl_uint Uint;
typedef cl_float Real;
#endif

#define MAX_CONTACTS 16

#define BODY_STATIC 1u
#define BODY_LINKED 2u

typedef struct {
  Vec4 position;
  Vec4 orientation; /* a quaternion */
  Vec4 velocity;
  Vec4 spin;
  Real radius;
  Real inverseMass;
  Real friction;
  Real restitution;
  Int cell;
  Uint flags;
} Body;

/* One side of a contact; the other body has its own. Planes are -1, -2 and so on. */
typedef struct {
  Vec4 normal;
  Real depth;
  Real impulse;
  Int other;
} Contact;

typedef struct {
  Vec4 linear;
  Vec4 angular;
} Change;

typedef struct {
  Vec4 equation; /* normal and distance */
  Real friction;
} Plane;

typedef struct {
  Int a, b;
  Real rest;
  Real stiffness;
} Joint;

typedef struct {
  Int first;
  Int count;
  Int filled;
} Cell;

typedef struct {
  Vec4 gravity;
  Vec4 origin;
  Int cellsX, cellsY, cellsZ;
  Real cellSize;
  Real timeStep;
  Int bodies;
  Int planes;
} World;

#endif
