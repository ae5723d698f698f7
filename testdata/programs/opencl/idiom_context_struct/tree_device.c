#ifdef __cplusplus
extern "C" {
#endif

#include "tree.h"

#include <stdio.h>
#include <stdlib.h>

static void ensure(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, err);
        exit(1);
    }
}

static cl_kernel kernel_of(const tree_device *dev, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(dev->program, name, &err);
    ensure(err, name);
    return kernel;
}

void tree_open(tree_device *dev, const branch_t *branches, int count)
{
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    ensure(clGetPlatformIDs(1, &platform, NULL), "platform");
    ensure(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    dev->context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    ensure(err, "context");
    dev->queue = clCreateCommandQueue(dev->context, device, 0, &err);
    ensure(err, "queue");

    FILE *file = fopen("tree.cl", "r");
    if (file == NULL) {
        fprintf(stderr, "tree.cl cannot be opened\n");
        exit(1);
    }
    char *text = calloc(1, 10000);
    const size_t length = fread(text, 1, 9999, file);
    fclose(file);
    dev->program = clCreateProgramWithSource(dev->context, 1, (const char **)&text, &length, &err);
    ensure(err, "program");
    ensure(clBuildProgram(dev->program, 1, &device, NULL, NULL, NULL), "build");
    free(text);
    dev->descend = kernel_of(dev, "descend");
    dev->prune = kernel_of(dev, "prune");

    dev->count = count;
    dev->branches = clCreateBuffer(dev->context, CL_MEM_READ_WRITE, count * sizeof(branch_t), NULL, &err);
    ensure(err, "branches");
    dev->kept = clCreateBuffer(dev->context, CL_MEM_WRITE_ONLY, count * sizeof(int), NULL, &err);
    ensure(err, "kept");
    ensure(clEnqueueWriteBuffer(dev->queue, dev->branches, CL_TRUE, 0, count * sizeof(branch_t), branches, 0, NULL, NULL), "write");
}

static void launch(const tree_device *dev, cl_kernel kernel)
{
    const size_t local = 16, global = (dev->count + local - 1) / local * local;
    ensure(clEnqueueNDRangeKernel(dev->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
}

void tree_descend(tree_device *dev, int rounds)
{
    ensure(clSetKernelArg(dev->descend, 0, sizeof(cl_mem), &dev->branches), "argument");
    ensure(clSetKernelArg(dev->descend, 1, sizeof(int), &dev->count), "argument");
    for (int round = 0; round < rounds; round++) {
        ensure(clSetKernelArg(dev->descend, 2, sizeof(int), &round), "argument");
        launch(dev, dev->descend);
    }
}

int tree_prune(tree_device *dev, float limit, int *kept)
{
    int number = 0;
    ensure(clSetKernelArg(dev->prune, 0, sizeof(cl_mem), &dev->branches), "argument");
    ensure(clSetKernelArg(dev->prune, 1, sizeof(int), &dev->count), "argument");
    ensure(clSetKernelArg(dev->prune, 2, sizeof(float), &limit), "argument");
    ensure(clSetKernelArg(dev->prune, 3, sizeof(cl_mem), &dev->kept), "argument");
    launch(dev, dev->prune);
    ensure(clEnqueueReadBuffer(dev->queue, dev->kept, CL_TRUE, 0, dev->count * sizeof(int), kept, 0, NULL, NULL), "read");
    for (int i = 0; i < dev->count; i++)
        number += kept[i];
    return number;
}

void tree_fetch(const tree_device *dev, branch_t *branches)
{
    ensure(clEnqueueReadBuffer(dev->queue, dev->branches, CL_TRUE, 0, dev->count * sizeof(branch_t), branches, 0, NULL, NULL), "read");
}

void tree_close(tree_device *dev)
{
    clReleaseMemObject(dev->branches);
    clReleaseMemObject(dev->kept);
    clReleaseKernel(dev->descend);
    clReleaseKernel(dev->prune);
    clReleaseProgram(dev->program);
    clReleaseCommandQueue(dev->queue);
    clReleaseContext(dev->context);
}

#ifdef __cplusplus
}
#endif
