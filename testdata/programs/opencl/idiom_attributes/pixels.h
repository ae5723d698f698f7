// Included by the host and by kernels, which have other names for the same types.
#ifndef PIXELS_H
#define PIXELS_H

#ifdef __OPENCL_VERSION__
typedef uchar u8;
typedef float f32;
typedef float4 vec4;
#define GLOBAL __global
#else
#include <CL/cl.h>
typedef cl_uchar u8;
typedef cl_float f32;
typedef cl_float4 vec4;
#define GLOBAL
#endif

typedef struct __attribute__((packed)) Pixel_ {
    u8 r, g, b;
    f32 depth; // at byte 3
} Pixel;

typedef struct {
    vec4 sum;
    f32 weight;
} __attribute__((aligned(32))) Bin;

#define BINS 8

// text that has to be one thing for the host's structs and another for the kernels'
static inline int bin_of(GLOBAL const Pixel *pixel)
{
    return pixel->r * BINS / 256;
}

#endif
