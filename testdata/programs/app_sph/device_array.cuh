#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CALL(call)                                                                        \
  do {                                                                                         \
    cudaError_t status_ = (call);                                                              \
    if (status_ != cudaSuccess) {                                                              \
      fprintf(stderr, "CUDA error in %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)

// What kernels get: an array and its size.
template <class T>
struct View {
  T *data;
  int n;

  __device__ T &operator[](int i) const { return data[i]; }
  __host__ __device__ int size() const { return n; }
};

template <class T>
T *allocate(int n) {
  T *d = nullptr;
  if (n > 0) CUDA_CALL(cudaMalloc(&d, n * sizeof(T)));
  return d;
}

template <class T>
T *upload(const std::vector<T> &h) {
  T *d = allocate<T>(static_cast<int>(h.size()));
  if (!h.empty()) CUDA_CALL(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}

template <class T>
void download(std::vector<T> &h, const T *d, int n) {
  h.resize(n);
  if (n > 0) CUDA_CALL(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
}

template <class T>
class DeviceArray {
public:
  explicit DeviceArray(int n) : ptr(allocate<T>(n)), count(n) {}
  explicit DeviceArray(const std::vector<T> &h) : ptr(upload(h)), count(static_cast<int>(h.size())) {}
  ~DeviceArray() {
    if (ptr) cudaFree(ptr);
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  View<T> view() { return View<T>{ptr, count}; }
  View<const T> view() const { return View<const T>{ptr, count}; }
  T *get() { return ptr; }
  int size() const { return count; }

  void fill(int byte) {
    if (count > 0) CUDA_CALL(cudaMemset(ptr, byte, count * sizeof(T)));
  }

  std::vector<T> toHost() const {
    std::vector<T> h;
    download(h, ptr, count);
    return h;
  }

  void swap(DeviceArray &other) {
    T *p = ptr;
    ptr = other.ptr;
    other.ptr = p;
    int n = count;
    count = other.count;
    other.count = n;
  }

private:
  T *ptr;
  int count;
};
