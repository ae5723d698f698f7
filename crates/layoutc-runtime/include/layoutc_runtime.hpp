// layoutc's CPU runtime for CUDA programs: everything that nvcc includes unasked.
#pragma once

#ifdef __cplusplus
#include "layoutc/qualifiers.hpp"
#include "layoutc/vector_types.hpp"
#include "layoutc/api_types.hpp"
#include "layoutc/execution.hpp"
#include "layoutc/warp.hpp"
#include "layoutc/atomics.hpp"
#include "layoutc/intrinsics.hpp"
#include "layoutc/memory.hpp"
#include "layoutc/device.hpp"
#include "layoutc/texture.hpp"
#else
#include "layoutc/api_functions.h"
#endif
