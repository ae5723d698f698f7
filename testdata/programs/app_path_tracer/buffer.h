#pragma once

#include "cuda_check.h"

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

// Owns an array in device memory. Can be moved, but not copied.
template <typename T>
class Buffer {
public:
  Buffer() = default;

  explicit Buffer(std::size_t size) : size_(size) {
    if (size > 0) CUDA_CHECK(cudaMalloc(&data_, size * sizeof(T)));
  }

  explicit Buffer(const std::vector<T> &values) : Buffer(values.size()) { upload(values); }

  ~Buffer() { cudaFree(data_); }

  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Buffer(Buffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

  Buffer &operator=(Buffer &&other) noexcept {
    if (this != &other) {
      cudaFree(data_);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }

  T *data() { return data_; }
  const T *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void upload(const std::vector<T> &values) {
    assert(values.size() <= size_);
    if (values.empty()) return;
    CUDA_CHECK(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

  std::vector<T> download() const {
    std::vector<T> values(size_);
    if (size_ > 0) CUDA_CHECK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  void clear() {
    if (size_ > 0) CUDA_CHECK(cudaMemset(data_, 0, size_ * sizeof(T)));
  }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};
