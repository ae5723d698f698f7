#include "blocks.h"

__kernel void scale(__global sample *samples, __global const float *factors)
{
    const size_t i = get_global_id(0);
    samples[i].scaled = samples[i].value * factors[samples[i].group];
}

/* the neighbour in front, within the part that is worked on */
__kernel void smooth(__global const sample *samples, __global float *out)
{
    const size_t i = get_global_id(0);
    const size_t before = i > get_global_offset(0) ? i - 1 : i;
    out[i] = 0.5f * (samples[before].scaled + samples[i].scaled);
}
