// CUDA's declaration qualifiers as a host compiler can take them.
//
// The standard headers come first: libstdc++ spells attributes with reserved words that CUDA defines as macros.
#pragma once

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#endif

// A file that is not CUDA sees the toolkit's headers, and no compiler for kernels.
#ifndef LAYOUTC_RT_HOST_FILE
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#endif
#define LAYOUTC_RUNTIME 1

// Programs ask by these whether CUDA's headers are there.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __HOST_DEFINES_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

// `__CUDA_ARCH__` itself stays undefined; lowering puts this in its place where code is for the device.
#define LAYOUTC_RT_ARCH 800

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#ifdef __cplusplus
#define __forceinline__ inline
#else
#define __forceinline__ static inline
#endif
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __cudart_builtin__
#define __device_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

// Lowering turns `__shared__` declarations into registered per-block storage. This is what is left for the
// ones it cannot see whole, such as a macro that ends before the declared name.
#define __shared__ static
