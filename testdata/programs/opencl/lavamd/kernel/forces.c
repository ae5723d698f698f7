#define CL_TARGET_OPENCL_VERSION 120
#include "forces.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cl_int err, const char *what)
{
	if (err != CL_SUCCESS)
	{
		fprintf(stderr, "%s: %d\n", what, err);
		exit(1);
	}
}

/* the text of a file; the caller frees it */
static char *source_of(const char *path)
{
	size_t length = 0, room = 1024;
	char *text = malloc(room + 1);
	FILE *file = fopen(path, "r");
	if (file == NULL)
	{
		perror(path);
		exit(1);
	}
	while ((length += fread(text + length, 1, room - length, file)) == room)
		text = realloc(text, (room *= 2) + 1);
	text[length] = 0;
	fclose(file);
	return text;
}

void compute_forces(settings_t settings, const box_t *box_cpu, particle_t *par_cpu, long par_count)
{
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	check(clGetPlatformIDs(1, &platform, NULL), "platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	cl_context_properties properties[3] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
	cl_context context = clCreateContext(properties, 1, &device, NULL, NULL, &err);
	check(err, "context");
	cl_command_queue commands = clCreateCommandQueue(context, device, 0, &err);
	check(err, "queue");

	const char *text = source_of("./kernel/md.cl");
	size_t text_length = strlen(text);
	cl_program program = clCreateProgramWithSource(context, 1, &text, &text_length, &err);
	check(err, "program");
	check(clBuildProgram(program, 1, &device, "-I.", NULL, NULL), "build");
	cl_kernel kernel = clCreateKernel(program, "md_kernel", &err);
	check(err, "kernel");

	long box_mem = settings.boxes * (long)sizeof(box_t);
	long par_mem = par_count * (long)sizeof(particle_t);
	cl_mem d_box = clCreateBuffer(context, CL_MEM_READ_ONLY, box_mem, NULL, &err);
	check(err, "allocate boxes");
	cl_mem d_par = clCreateBuffer(context, CL_MEM_READ_WRITE, par_mem, NULL, &err);
	check(err, "allocate particles");
	check(clEnqueueWriteBuffer(commands, d_box, 1, 0, box_mem, box_cpu, 0, 0, 0), "send boxes");
	check(clEnqueueWriteBuffer(commands, d_par, 1, 0, par_mem, par_cpu, 0, 0, 0), "send particles");

	clSetKernelArg(kernel, 0, sizeof(settings_t), (void *)&settings);
	clSetKernelArg(kernel, 1, sizeof(void *), (void *)&d_box);
	clSetKernelArg(kernel, 2, sizeof(void *), (void *)&d_par);
	size_t local_work_size[1] = {THREADS};
	size_t global_work_size[1] = {settings.boxes * (size_t)THREADS};
	check(clEnqueueNDRangeKernel(commands, kernel, 1, NULL, global_work_size, local_work_size, 0, NULL, NULL), "launch");
	check(clFinish(commands), "kernel");
	check(clEnqueueReadBuffer(commands, d_par, CL_TRUE, 0, par_mem, par_cpu, 0, NULL, NULL), "fetch particles");

	clReleaseMemObject(d_box);
	clReleaseMemObject(d_par);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(commands);
	clReleaseContext(context);
	free((void *)text);
}
