// Templates over kernels: function attributes and occupancy.
#pragma once

#include "api_functions.h"
#include "execution.hpp"

inline cudaError_t cudaEventCreate(cudaEvent_t* out, unsigned flags) { return cudaEventCreateWithFlags(out, flags); }

template <class F>
inline cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache) { return cudaSuccess; }
template <class F>
inline cudaError_t cudaFuncSetSharedMemConfig(F, cudaSharedMemConfig) { return cudaSuccess; }
template <class F>
inline cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute attribute, int value) {
    bool fits = attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || (value >= 0 && (size_t)value <= layoutc_rt::kDynamicSharedLimit);
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}
template <class F>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, F) {
    *out = cudaFuncAttributes{0, 0, 0, 1024, 32, 80, 80, 0, 48 * 1024, -1};
    return cudaSuccess;
}
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F, int threads, size_t) {
    *blocks = threads > 0 ? 2048 / threads : 0;
    return cudaSuccess;
}
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F kernel, int threads, size_t shared, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F, size_t = 0, int limit = 0) {
    *block = limit > 0 && limit < 256 ? limit : 256;
    *grid = 2048 / *block * 8;
    return cudaSuccess;
}
template <class S, class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F kernel, S, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, 0, limit);
}
