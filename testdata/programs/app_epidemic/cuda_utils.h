#ifndef CUDA_UTILS_H
#define CUDA_UTILS_H

#include <cuda_runtime.h>

#include <sstream>
#include <stdexcept>

inline void throwOnCudaError(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) {
    std::ostringstream message;
    message << file << ":" << line << ": " << cudaGetErrorString(error);
    throw std::runtime_error(message.str());
  }
}

#define CHECK_CUDA(expression) throwOnCudaError((expression), __FILE__, __LINE__)

#endif
