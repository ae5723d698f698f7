#pragma once

#include "cl_buffer.hpp"

namespace ocl {

// Takes the arguments of a kernel one by one and runs it.
class Launcher {
public:
  Launcher(const Context &context, cl_program program, const char *name) : queue_(context.queue()) {
    cl_int error;
    kernel_ = clCreateKernel(program, name, &error);
    check(error, name);
  }
  ~Launcher() { clReleaseKernel(kernel_); }
  Launcher(const Launcher &) = delete;
  Launcher &operator=(const Launcher &) = delete;

  template <class T>
  Launcher &setBuffer(const Buffer<T> &buffer) {
    const cl_mem memory = buffer.handle();
    check(clSetKernelArg(kernel_, index_++, sizeof(cl_mem), &memory), "clSetKernelArg");
    return *this;
  }

  template <class T>
  Launcher &setConst(const T &value) {
    check(clSetKernelArg(kernel_, index_++, sizeof(T), &value), "clSetKernelArg");
    return *this;
  }

  void launch1D(size_t items, size_t local = 64) {
    index_ = 0;
    if (items == 0) return;
    const size_t global = (items + local - 1) / local * local;
    check(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }

private:
  cl_kernel kernel_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_uint index_ = 0;
};

} // namespace ocl
