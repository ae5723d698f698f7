#include "types.h"

float inverseInertia(__global const Body *body) {
  return 2.5f * body->inverseMass / (body->radius * body->radius);
}

float4 velocityAt(__global const Body *body, float4 arm) {
  return body->velocity + cross(body->spin, arm);
}

__kernel void applyGravity(__global Body *bodies, World world) {
  const int i = get_global_id(0);
  if (i >= world.bodies || (bodies[i].flags & BODY_STATIC)) return;
  bodies[i].velocity += world.gravity * world.timeStep;
}

// Every second joint, so that no two of them share a body.
__kernel void applyJoints(__global Body *bodies, __global const Joint *joints, int first, int count, float timeStep) {
  const int index = first + 2 * get_global_id(0);
  if (index >= count) return;
  const Joint joint = joints[index];
  __global Body *a = bodies + joint.a;
  __global Body *b = bodies + joint.b;
  float4 along = b->position - a->position;
  along.w = 0.0f;
  const float distance = length(along);
  if (distance < 1e-6f) return;
  const float4 impulse = along * ((distance - joint.rest) * joint.stiffness * timeStep / distance);
  a->velocity += impulse * a->inverseMass;
  b->velocity -= impulse * b->inverseMass;
}

// One Jacobi iteration: what the contacts of a body change of its velocities.
__kernel void solveContacts(__global const Body *bodies, __global const Plane *planes, __global Contact *contacts,
                            __global const int *counts, __global Change *changes, World world) {
  const int i = get_global_id(0);
  if (i >= world.bodies) return;
  __global const Body *self = &bodies[i];
  float4 linear = (float4)(0.0f), angular = (float4)(0.0f);
  for (int c = 0; c < counts[i]; c++) {
    __global Contact *contact = &contacts[i * MAX_CONTACTS + c];
    const float4 normal = contact->normal;
    const float4 arm = -self->radius * normal;
    float4 relative = velocityAt(self, arm);
    float mass = self->inverseMass;
    float friction = self->friction;
    float restitution = self->restitution;
    if (contact->other >= 0) {
      __global const Body *other = &bodies[contact->other];
      relative -= velocityAt(other, other->radius * normal);
      mass += other->inverseMass;
      friction *= other->friction;
      restitution = fmin(restitution, other->restitution);
    } else {
      friction *= planes[-1 - contact->other].friction;
    }
    if (mass == 0.0f) continue;
    const float along = dot(relative, normal);
    const float bias = 0.1f * fmax(contact->depth - 0.005f, 0.0f) / world.timeStep;
    const float bounce = along < -0.5f ? -restitution * along : 0.0f;
    const float wanted = 0.4f * (bias + bounce - along) / mass;
    const float before = contact->impulse;
    contact->impulse = fmax(before + wanted, 0.0f);
    const float push = contact->impulse - before;
    float4 impulse = push * normal;
    const float4 sliding = relative - along * normal;
    const float speed = length(sliding);
    if (speed > 1e-5f) impulse -= sliding * (fmin(friction * fabs(push), 0.3f * speed / mass) / speed);
    linear += impulse * self->inverseMass;
    angular += cross(arm, impulse) * inverseInertia(self);
  }
  changes[i].linear = linear;
  changes[i].angular = angular;
}

__kernel void applyChanges(__global Body *bodies, __global const Change *changes, World world) {
  const int i = get_global_id(0);
  if (i >= world.bodies) return;
  bodies[i].velocity += changes[i].linear;
  bodies[i].spin += changes[i].angular;
}

float4 multiplyQuaternions(float4 a, float4 b) {
  float4 q = cross(a, b) + a.w * b + b.w * a;
  q.w = a.w * b.w - dot(a.xyz, b.xyz);
  return q;
}

__kernel void moveBodies(__global Body *bodies, World world) {
  const int i = get_global_id(0);
  if (i >= world.bodies) return;
  Body body = bodies[i];
  if (body.flags & BODY_STATIC) return;
  body.position += body.velocity * world.timeStep;
  const float4 turn = (float4)(body.spin.xyz, 0.0f);
  body.orientation += 0.5f * world.timeStep * multiplyQuaternions(turn, body.orientation);
  body.orientation = normalize(body.orientation);
  bodies[i] = body;
}
