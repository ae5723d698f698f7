#include "reference.hpp"

#include <algorithm>
#include <cmath>

static Vec4 add(const Vec4 &a, const Vec4 &b, float scale = 1.0f) {
  return {{a.s[0] + scale * b.s[0], a.s[1] + scale * b.s[1], a.s[2] + scale * b.s[2], a.s[3] + scale * b.s[3]}};
}

static Vec4 times(const Vec4 &a, float scale) {
  return {{a.s[0] * scale, a.s[1] * scale, a.s[2] * scale, a.s[3] * scale}};
}

static float dot3(const Vec4 &a, const Vec4 &b) {
  return a.s[0] * b.s[0] + a.s[1] * b.s[1] + a.s[2] * b.s[2];
}

static Vec4 cross3(const Vec4 &a, const Vec4 &b) {
  return {{a.s[1] * b.s[2] - a.s[2] * b.s[1], a.s[2] * b.s[0] - a.s[0] * b.s[2], a.s[0] * b.s[1] - a.s[1] * b.s[0],
           0.0f}};
}

static float length3(const Vec4 &a) {
  return std::sqrt(dot3(a, a));
}

static std::vector<Contact> contactsOf(const Setup &setup, const std::vector<Body> &bodies, int i) {
  std::vector<Contact> contacts;
  const Body &body = bodies[i];
  for (size_t p = 0; p < setup.planes.size(); p++) {
    const Vec4 &equation = setup.planes[p].equation;
    const float depth = body.radius - (dot3(equation, body.position) - equation.s[3]);
    if (depth <= 0.0f) continue;
    const Vec4 normal = {{equation.s[0], equation.s[1], equation.s[2], 0.0f}};
    contacts.push_back({normal, depth, 0.0f, -1 - static_cast<int>(p)});
  }
  for (int j = 0; j < static_cast<int>(bodies.size()); j++) {
    if (j == i) continue;
    Vec4 apart = add(body.position, bodies[j].position, -1.0f);
    apart.s[3] = 0.0f;
    const float distance = length3(apart);
    const float depth = body.radius + bodies[j].radius - distance;
    if (depth <= 0.0f) continue;
    const Vec4 normal = distance > 1e-6f ? times(apart, 1.0f / distance) : Vec4{{0.0f, i < j ? -1.0f : 1.0f, 0.0f, 0.0f}};
    contacts.push_back({normal, depth, 0.0f, j});
  }
  std::sort(contacts.begin(), contacts.end(), [](const Contact &a, const Contact &b) { return a.other < b.other; });
  if (contacts.size() > MAX_CONTACTS) contacts.resize(MAX_CONTACTS);
  return contacts;
}

static Change solveBody(const Setup &setup, const std::vector<Body> &bodies, int i, std::vector<Contact> &contacts) {
  const Body &self = bodies[i];
  Change change = {};
  for (Contact &contact : contacts) {
    const Vec4 arm = times(contact.normal, -self.radius);
    Vec4 relative = add(self.velocity, cross3(self.spin, arm));
    float mass = self.inverseMass, friction = self.friction, restitution = self.restitution;
    if (contact.other >= 0) {
      const Body &other = bodies[contact.other];
      const Vec4 there = add(other.velocity, cross3(other.spin, times(contact.normal, other.radius)));
      relative = add(relative, there, -1.0f);
      mass += other.inverseMass;
      friction *= other.friction;
      restitution = std::min(restitution, other.restitution);
    } else {
      friction *= setup.planes[-1 - contact.other].friction;
    }
    if (mass == 0.0f) continue;
    const float along = dot3(relative, contact.normal);
    const float bias = 0.1f * std::max(contact.depth - 0.005f, 0.0f) / setup.world.timeStep;
    const float bounce = along < -0.5f ? -restitution * along : 0.0f;
    const float before = contact.impulse;
    contact.impulse = std::max(before + 0.4f * (bias + bounce - along) / mass, 0.0f);
    const float push = contact.impulse - before;
    Vec4 impulse = times(contact.normal, push);
    const Vec4 sliding = add(relative, contact.normal, -along);
    const float speed = length3(sliding);
    if (speed > 1e-5f) {
      impulse = add(impulse, sliding, -std::min(friction * std::fabs(push), 0.3f * speed / mass) / speed);
    }
    change.linear = add(change.linear, impulse, self.inverseMass);
    change.angular = add(change.angular, cross3(arm, impulse), 2.5f * self.inverseMass / (self.radius * self.radius));
  }
  return change;
}

static void move(Body &body, float dt) {
  if (body.flags & BODY_STATIC) return;
  body.position = add(body.position, body.velocity, dt);
  const Vec4 &q = body.orientation;
  Vec4 turned = add(cross3(body.spin, q), body.spin, q.s[3]);
  turned.s[3] = -dot3(body.spin, q);
  body.orientation = add(q, turned, 0.5f * dt);
  const Vec4 &r = body.orientation;
  body.orientation = times(r, 1.0f / std::sqrt(dot3(r, r) + r.s[3] * r.s[3]));
}

void referenceStep(const Setup &setup, ReferenceState &state) {
  std::vector<Body> &bodies = state.bodies;
  const int n = static_cast<int>(bodies.size());
  const float dt = setup.world.timeStep;
  state.contacts.resize(n);
  for (int i = 0; i < n; i++) state.contacts[i] = contactsOf(setup, bodies, i);
  for (Body &body : bodies) {
    if (!(body.flags & BODY_STATIC)) body.velocity = add(body.velocity, setup.world.gravity, dt);
  }
  for (int first = 0; first < 2; first++) {
    for (size_t k = first; k < setup.joints.size(); k += 2) {
      const Joint &joint = setup.joints[k];
      Body &a = bodies[joint.a], &b = bodies[joint.b];
      const Vec4 along = add(b.position, a.position, -1.0f);
      const float distance = length3(along);
      if (distance < 1e-6f) continue;
      const float scale = (distance - joint.rest) * joint.stiffness * dt / distance;
      const Vec4 impulse = {{along.s[0] * scale, along.s[1] * scale, along.s[2] * scale, 0.0f}};
      a.velocity = add(a.velocity, impulse, a.inverseMass);
      b.velocity = add(b.velocity, impulse, -b.inverseMass);
    }
  }
  for (int iteration = 0; iteration < setup.iterations; iteration++) {
    std::vector<Change> changes(n);
    for (int i = 0; i < n; i++) changes[i] = solveBody(setup, bodies, i, state.contacts[i]);
    for (int i = 0; i < n; i++) {
      bodies[i].velocity = add(bodies[i].velocity, changes[i].linear);
      bodies[i].spin = add(bodies[i].spin, changes[i].angular);
    }
  }
  for (Body &body : bodies) move(body, dt);
}
