#include "types.h"

int3 cellCoordinates(float4 position, World world) {
  const float4 p = (position - world.origin) / world.cellSize;
  return clamp(convert_int3_rtn(p.xyz), (int3)(0), (int3)(world.cellsX - 1, world.cellsY - 1, world.cellsZ - 1));
}

int cellNumber(int3 c, World world) {
  return (c.z * world.cellsY + c.y) * world.cellsX + c.x;
}

__kernel void countBodies(__global Body *bodies, __global Cell *cells, World world) {
  const int i = get_global_id(0);
  if (i >= world.bodies) return;
  const int cell = cellNumber(cellCoordinates(bodies[i].position, world), world);
  bodies[i].cell = cell;
  atomic_inc(&cells[cell].count);
}

// One work item is enough for so few cells.
__kernel void findFirst(__global Cell *cells, int count) {
  if (get_global_id(0) != 0) return;
  int first = 0;
  for (int c = 0; c < count; c++) {
    cells[c].first = first;
    first += cells[c].count;
  }
}

__kernel void fillCells(__global const Body *bodies, __global Cell *cells, __global int *members, World world) {
  const int i = get_global_id(0);
  if (i >= world.bodies) return;
  __global Cell *cell = &cells[bodies[i].cell];
  members[cell->first + atomic_inc(&cell->filled)] = i;
}

// Contacts are sorted by the other body, so that the order in a cell does not matter.
int insertContact(__global Contact *contacts, int count, Contact contact) {
  int at = count < MAX_CONTACTS ? count : MAX_CONTACTS - 1;
  if (count == MAX_CONTACTS && contacts[at].other < contact.other) return count;
  while (at > 0 && contacts[at - 1].other > contact.other) {
    contacts[at] = contacts[at - 1];
    at--;
  }
  contacts[at] = contact;
  return count < MAX_CONTACTS ? count + 1 : count;
}

__kernel void findContacts(__global const Body *bodies, __global const Cell *cells, __global const int *members,
                           __global const Plane *planes, __global Contact *contacts, __global int *counts,
                           World world) {
  const int i = get_global_id(0);
  if (i >= world.bodies) return;
  __global Contact *own = contacts + i * MAX_CONTACTS;
  const Body body = bodies[i];
  int count = 0;
  for (int p = 0; p < world.planes; p++) {
    const float4 equation = planes[p].equation;
    const float depth = body.radius - (dot(equation.xyz, body.position.xyz) - equation.w);
    if (depth <= 0.0f) continue;
    Contact contact;
    contact.normal = (float4)(equation.xyz, 0.0f);
    contact.depth = depth;
    contact.impulse = 0.0f;
    contact.other = -1 - p;
    count = insertContact(own, count, contact);
  }
  const int3 center = cellCoordinates(body.position, world);
  for (int z = max(center.z - 1, 0); z <= min(center.z + 1, world.cellsZ - 1); z++) {
    for (int y = max(center.y - 1, 0); y <= min(center.y + 1, world.cellsY - 1); y++) {
      for (int x = max(center.x - 1, 0); x <= min(center.x + 1, world.cellsX - 1); x++) {
        const Cell cell = cells[cellNumber((int3)(x, y, z), world)];
        for (int m = cell.first; m < cell.first + cell.count; m++) {
          const int j = members[m];
          if (j == i) continue;
          float4 apart = body.position - bodies[j].position;
          apart.w = 0.0f;
          const float distance = length(apart);
          const float depth = body.radius + bodies[j].radius - distance;
          if (depth <= 0.0f) continue;
          Contact contact;
          contact.normal = distance > 1e-6f ? apart / distance : (float4)(0.0f, i < j ? -1.0f : 1.0f, 0.0f, 0.0f);
          contact.depth = depth;
          contact.impulse = 0.0f;
          contact.other = j;
          count = insertContact(own, count, contact);
        }
      }
    }
  }
  counts[i] = count;
}
