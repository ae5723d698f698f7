// glm, which annotates defaulted functions; nvcc warns of each.
#pragma once

#ifdef __CUDACC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20012
#endif

#include <glm/glm.hpp>

#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
