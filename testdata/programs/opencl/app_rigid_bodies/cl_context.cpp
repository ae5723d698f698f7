#include "cl_context.hpp"

#include <fstream>
#include <sstream>
#include <vector>

namespace ocl {

void check(cl_int error, const char *what) {
  if (error != CL_SUCCESS) throw std::runtime_error(std::string(what) + ": error " + std::to_string(error));
}

Context::Context() {
  cl_platform_id platform;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
  cl_int error;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
  check(error, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, device_, 0, &error);
  check(error, "clCreateCommandQueue");
}

Context::~Context() {
  if (queue_) clReleaseCommandQueue(queue_);
  if (context_) clReleaseContext(context_);
}

cl_program Context::build(const std::string &file, const std::string &options) const {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::stringstream text;
  text << in.rdbuf();
  const std::string source = text.str();
  const char *pointer = source.c_str();
  const size_t length = source.size();
  cl_int error;
  cl_program program = clCreateProgramWithSource(context_, 1, &pointer, &length, &error);
  check(error, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    size_t size = 0;
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::vector<char> log(size + 1);
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    throw std::runtime_error(file + ":\n" + log.data());
  }
  return program;
}

} // namespace ocl
