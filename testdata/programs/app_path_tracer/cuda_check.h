#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void checkCuda(cudaError_t status, const char *what, const char *file, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(status));
  std::exit(EXIT_FAILURE);
}

#define CUDA_CHECK(call) checkCuda((call), #call, __FILE__, __LINE__)
