/* Of host and kernels: the structs once, their words for the types apart. */
#ifndef DROPS_H
#define DROPS_H

#ifndef __OPENCL_VERSION__
#include <CL/cl.h>
typedef cl_uint u32;
typedef cl_float f32;
typedef cl_float4 vec4;
#else
typedef uint u32;
typedef float f32;
typedef float4 vec4;
#endif

#if defined(__OPENCL_C_VERSION__)
#define U64 ulong
#else
#define U64 cl_ulong
#endif

#define CELLS 16

typedef struct {
    vec4 place;
    f32 mass;
    u32 cell;
} Drop;

typedef struct Cell_ {
    f32 mass;
    u32 count;
    U64 seen;
} Cell;

#endif
