#pragma once

#include "cl_context.hpp"

#include <utility>
#include <vector>

namespace ocl {

// An array of T on the device.
template <class T>
class Buffer {
public:
  Buffer() = default;

  Buffer(const Context &context, size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE)
      : queue_(context.queue()), size_(size) {
    cl_int error;
    // A buffer of no bytes is an error.
    memory_ = clCreateBuffer(context.handle(), flags, (size > 0 ? size : 1) * sizeof(T), nullptr, &error);
    check(error, "clCreateBuffer");
  }

  Buffer(const Context &context, const std::vector<T> &values) : Buffer(context, values.size()) { write(values); }

  ~Buffer() {
    if (memory_) clReleaseMemObject(memory_);
  }

  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }

  void swap(Buffer &other) {
    std::swap(memory_, other.memory_);
    std::swap(queue_, other.queue_);
    std::swap(size_, other.size_);
  }

  void write(const std::vector<T> &values) {
    if (values.empty()) return;
    check(clEnqueueWriteBuffer(queue_, memory_, CL_TRUE, 0, values.size() * sizeof(T), values.data(), 0, nullptr,
                               nullptr),
          "clEnqueueWriteBuffer");
  }

  std::vector<T> read() const {
    std::vector<T> values(size_);
    if (size_ > 0) {
      check(clEnqueueReadBuffer(queue_, memory_, CL_TRUE, 0, size_ * sizeof(T), values.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    }
    return values;
  }

  void zero() {
    if (size_ == 0) return;
    const cl_uchar nothing = 0;
    check(clEnqueueFillBuffer(queue_, memory_, &nothing, 1, 0, size_ * sizeof(T), 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
  }

  cl_mem handle() const { return memory_; }
  size_t size() const { return size_; }

private:
  cl_mem memory_ = nullptr;
  cl_command_queue queue_ = nullptr;
  size_t size_ = 0;
};

} // namespace ocl
