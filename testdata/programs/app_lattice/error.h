#ifndef ERROR_H
#define ERROR_H

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

#define cudaSafe(call) cudaSafeCall(call, __FILE__, __LINE__)

static inline void cudaSafeCall(cudaError_t err, const char *file, int line) {
  if (cudaSuccess != err) {
    fprintf(stderr, "%s(%i): %s\n", file, line, cudaGetErrorString(err));
    exit(-1);
  }
}

#endif
