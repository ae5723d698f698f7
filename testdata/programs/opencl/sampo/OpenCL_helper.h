// A thin layer over the C interface: kernels go by their place in a table.
#ifndef OPENCL_HELPER_H
#define OPENCL_HELPER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

enum KernelId { INIT, OLDER, DIE, FLY, MATE, BITE, LAY, HATCH, COUNT };

static const std::string kernel_names[] = {"init_agents", "grow_older", "die",   "fly",  "mate",
					   "bite",        "lay_eggs",   "hatch", "count"};
static const int total_kernels = 9;

struct Machine {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_device_id device;
	std::vector<cl_kernel> kernels;
};

static Machine machine;

inline void clOk(cl_int status, const char *what)
{
	if (status == CL_SUCCESS) return;
	fprintf(stderr, "OpenCL: %s failed (%d)\n", what, status);
	exit(1);
}

inline std::string readFile(const std::string &name)
{
	std::ifstream file(name);
	if (!file) {
		fprintf(stderr, "no file %s\n", name.c_str());
		exit(1);
	}
	std::stringstream text;
	text << file.rdbuf();
	return text.str();
}

inline void clStart()
{
	cl_int status;
	cl_platform_id platform;
	clOk(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	clOk(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &machine.device, NULL), "clGetDeviceIDs");
	machine.context = clCreateContext(NULL, 1, &machine.device, NULL, NULL, &status);
	clOk(status, "clCreateContext");
	machine.queue = clCreateCommandQueue(machine.context, machine.device, 0, &status);
	clOk(status, "clCreateCommandQueue");

	std::string source = readFile("Kernels.cl");
	const char *text = source.c_str();
	size_t length = source.length();
	machine.program = clCreateProgramWithSource(machine.context, 1, &text, &length, &status);
	clOk(status, "clCreateProgramWithSource");
	clOk(clBuildProgram(machine.program, 1, &machine.device, "", NULL, NULL), "clBuildProgram");
	for (int k = 0; k < total_kernels; k++) {
		machine.kernels.push_back(clCreateKernel(machine.program, kernel_names[k].c_str(), &status));
		clOk(status, kernel_names[k].c_str());
	}
}

inline void clStop()
{
	for (cl_kernel kernel : machine.kernels) clReleaseKernel(kernel);
	clReleaseProgram(machine.program);
	clReleaseCommandQueue(machine.queue);
	clReleaseContext(machine.context);
}

inline cl_mem clMalloc(size_t size)
{
	cl_int status;
	cl_mem memory = clCreateBuffer(machine.context, CL_MEM_READ_WRITE, size, NULL, &status);
	clOk(status, "clCreateBuffer");
	return memory;
}

// with what the host has
inline cl_mem clMallocFrom(size_t size, void *host)
{
	cl_int status;
	cl_mem memory = clCreateBuffer(machine.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, host, &status);
	clOk(status, "clCreateBuffer");
	return memory;
}

inline void clZero(cl_mem memory, size_t size)
{
	const cl_int zero = 0;
	clOk(clEnqueueFillBuffer(machine.queue, memory, &zero, sizeof(zero), 0, size, 0, NULL, NULL), "clEnqueueFillBuffer");
}

inline void clFetch(void *host, cl_mem memory, size_t size, size_t offset = 0)
{
	clOk(clEnqueueReadBuffer(machine.queue, memory, CL_TRUE, offset, size, host, 0, NULL, NULL), "clEnqueueReadBuffer");
}

inline void clSetArgs(int kernel_id, int arg_idx, cl_mem memory)
{
	clOk(clSetKernelArg(machine.kernels[kernel_id], arg_idx, sizeof(cl_mem), &memory), "clSetKernelArg");
}

inline void clSetArgs(int kernel_id, int arg_idx, const void *value, size_t size)
{
	clOk(clSetKernelArg(machine.kernels[kernel_id], arg_idx, size, value), "clSetKernelArg");
}

inline void clInvoke(int kernel_id, size_t items, size_t group)
{
	size_t global = (items + group - 1) / group * group;
	clOk(clEnqueueNDRangeKernel(machine.queue, machine.kernels[kernel_id], 1, NULL, &global, &group, 0, NULL, NULL),
	     "clEnqueueNDRangeKernel");
}

#endif
