#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

class Device {
public:
    explicit Device(const std::string &file)
    {
        cl_int err;
        cl_platform_id platform;
        check(clGetPlatformIDs(1, &platform, nullptr));
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id_, nullptr));
        context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &err);
        check(err);
        queue_ = clCreateCommandQueue(context_, id_, 0, &err);
        check(err);
        std::ifstream in(file);
        if (!in) throw std::runtime_error("cannot open " + file);
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        const char *source = text.c_str();
        program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &err);
        check(err);
        check(clBuildProgram(program_, 1, &id_, "", nullptr, nullptr));
    }

    ~Device()
    {
        clReleaseProgram(program_);
        clReleaseCommandQueue(queue_);
        clReleaseContext(context_);
    }

    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    static void check(cl_int err)
    {
        if (err != CL_SUCCESS) throw std::runtime_error("OpenCL error " + std::to_string(err));
    }

    cl_context context() const { return context_; }
    cl_command_queue queue() const { return queue_; }
    cl_program program() const { return program_; }

private:
    cl_device_id id_;
    cl_context context_;
    cl_command_queue queue_;
    cl_program program_;
};

// An array of `T` on the device.
template <typename T>
class DeviceArray {
public:
    DeviceArray(const Device &device, std::size_t count) : device_(device), count_(count)
    {
        cl_int err;
        memory_ = clCreateBuffer(device.context(), CL_MEM_READ_WRITE, count * sizeof(T), nullptr, &err);
        Device::check(err);
    }

    ~DeviceArray() { clReleaseMemObject(memory_); }

    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    void upload(const std::vector<T> &from)
    {
        Device::check(clEnqueueWriteBuffer(device_.queue(), memory_, CL_TRUE, 0, count_ * sizeof(T), from.data(), 0, nullptr, nullptr));
    }

    std::vector<T> download() const
    {
        std::vector<T> to(count_);
        Device::check(clEnqueueReadBuffer(device_.queue(), memory_, CL_TRUE, 0, count_ * sizeof(T), to.data(), 0, nullptr, nullptr));
        return to;
    }

    const cl_mem &memory() const { return memory_; }

private:
    const Device &device_;
    std::size_t count_;
    cl_mem memory_;
};

class Kernel {
public:
    Kernel(const Device &device, const char *name) : device_(device)
    {
        cl_int err;
        kernel_ = clCreateKernel(device.program(), name, &err);
        Device::check(err);
    }

    ~Kernel() { clReleaseKernel(kernel_); }

    template <typename... Arguments>
    void operator()(std::size_t items, const Arguments &... arguments)
    {
        cl_uint index = 0;
        (set(index++, arguments), ...);
        Device::check(clEnqueueNDRangeKernel(device_.queue(), kernel_, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    }

private:
    template <typename T>
    void set(cl_uint index, const DeviceArray<T> &array)
    {
        Device::check(clSetKernelArg(kernel_, index, sizeof(cl_mem), &array.memory()));
    }

    template <typename T>
    void set(cl_uint index, const T &value)
    {
        Device::check(clSetKernelArg(kernel_, index, sizeof(T), &value));
    }

    const Device &device_;
    cl_kernel kernel_;
};
