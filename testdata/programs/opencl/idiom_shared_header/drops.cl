#include "drops.h"

__kernel void sort_in(__global Drop *drops, u32 n)
{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    drops[i].cell = (u32)(drops[i].place.x + 4.0f * drops[i].place.y) % CELLS;
    drops[i].place.w += drops[i].mass;
}

/* one work-item for each cell, so that sums have one order */
__kernel void weigh(__global const Drop *drops, u32 n, __global Cell *cells)
{
    const u32 c = get_global_id(0);
    f32 mass = 0;
    u32 count = 0;
    for (u32 i = 0; i < n; i++)
        if (drops[i].cell == c) {
            mass += drops[i].mass;
            count++;
        }
    cells[c].mass = mass;
    cells[c].count = count;
    cells[c].seen += count;
}
