/* A lattice with five speeds on a plane: the numbers of a cell lie together, which work-items read one by
   one. The kernels are string literals; buffers are made and filled in functions. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEEDS 5

static const char *const collide_text =
    "#define SPEEDS 5\n"
    "__kernel void collide(__global float *f, __global const int *wall, int cells, float omega)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float rho = 0.0f;\n"
    "    if (i >= cells || wall[i]) return;\n"
    "    for (int q = 0; q < SPEEDS; q++)\n"
    "        rho += f[i * SPEEDS + q];\n"
    "    for (int q = 0; q < SPEEDS; q++)\n"
    "        f[i * SPEEDS + q] += omega * (rho / 5.0f - f[i * SPEEDS + q]);\n"
    "}\n";

static const char *const stream_text =
    "__constant int dx[5] = {0, 1, -1, 0, 0};\n"
    "__constant int dy[5] = {0, 0, 0, 1, -1};\n"
    "__kernel void stream(__global const float *from, __global float *to, int nx, int ny)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x < nx && y < ny)\n"
    "        for (int q = 0; q < 5; q++) {\n"
    "            int sx = (x - dx[q] + nx) % nx, sy = (y - dy[q] + ny) % ny;\n"
    "            to[(y * nx + x) * 5 + q] = from[(sy * nx + sx) * 5 + q]; /* \"pull\" */\n"
    "        }\n"
    "}\n";

struct channel {
    cl_context context;
    cl_command_queue queue;
    cl_mem f, g, wall;
};

static void must(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, err);
        exit(1);
    }
}

static cl_kernel kernel_of(cl_context context, cl_device_id device, const char *text, const char *name)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    must(err, "program");
    must(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, name, &err);
    must(err, name);
    clReleaseProgram(program);
    return kernel;
}

static cl_mem make(cl_context context, size_t bytes)
{
    cl_int err;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    must(err, "buffer");
    return buffer;
}

static void upload(const struct channel *c, cl_mem buffer, const void *host, size_t bytes)
{
    must(clEnqueueWriteBuffer(c->queue, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "upload");
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 35;
    int ny = argc > 2 ? atoi(argv[2]) : 18;
    int steps = argc > 3 ? atoi(argv[3]) : 4;
    if (nx < 1 || ny < 1) {
        printf("no channel\nPASSED\n");
        return 0;
    }
    int cells = nx * ny;
    float omega = 0.6f;
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    struct channel c;
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    c.context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    must(err, "context");
    c.queue = clCreateCommandQueue(c.context, device, 0, &err);
    must(err, "queue");
    cl_kernel collide = kernel_of(c.context, device, collide_text, "collide");
    cl_kernel stream = kernel_of(c.context, device, stream_text, "stream");

    const size_t bytes = (size_t)cells * SPEEDS * sizeof(float);
    float *f = (float *)malloc(bytes), *expected = (float *)malloc(bytes), *other = (float *)malloc(bytes);
    int *wall = (int *)malloc(cells * sizeof(int));
    for (int i = 0; i < cells * SPEEDS; i++) f[i] = (float)(i * 13 % 31) / 4.0f;
    for (int i = 0; i < cells; i++) wall[i] = i % 23 == 7;
    memcpy(expected, f, bytes);
    c.f = make(c.context, bytes);
    c.g = make(c.context, bytes);
    c.wall = make(c.context, cells * sizeof(int));
    upload(&c, c.f, f, bytes);
    upload(&c, c.wall, wall, cells * sizeof(int));

    size_t line = (size_t)(cells + 63) / 64 * 64;
    size_t plane[2] = {(size_t)(nx + 15) / 16 * 16, (size_t)(ny + 3) / 4 * 4};
    must(clSetKernelArg(collide, 1, sizeof(cl_mem), &c.wall), "wall");
    must(clSetKernelArg(collide, 2, sizeof cells, &cells), "cells");
    must(clSetKernelArg(collide, 3, sizeof omega, &omega), "omega");
    must(clSetKernelArg(stream, 2, sizeof nx, &nx), "nx");
    must(clSetKernelArg(stream, 3, sizeof ny, &ny), "ny");
    for (int s = 0; s < steps; s++) {
        must(clSetKernelArg(collide, 0, sizeof(cl_mem), &c.f), "f");
        must(clEnqueueNDRangeKernel(c.queue, collide, 1, NULL, &line, NULL, 0, NULL, NULL), "collide");
        must(clSetKernelArg(stream, 0, sizeof(cl_mem), &c.f), "from");
        must(clSetKernelArg(stream, 1, sizeof(cl_mem), &c.g), "to");
        must(clEnqueueNDRangeKernel(c.queue, stream, 2, NULL, plane, NULL, 0, NULL, NULL), "stream");
        cl_mem swap = c.f;
        c.f = c.g;
        c.g = swap;
    }
    must(clEnqueueReadBuffer(c.queue, c.f, CL_TRUE, 0, bytes, f, 0, NULL, NULL), "read");

    static const int dx[5] = {0, 1, -1, 0, 0}, dy[5] = {0, 0, 0, 1, -1};
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < cells; i++) {
            float rho = 0.0f;
            if (wall[i]) continue;
            for (int q = 0; q < SPEEDS; q++) rho += expected[i * SPEEDS + q];
            for (int q = 0; q < SPEEDS; q++) expected[i * SPEEDS + q] += omega * (rho / 5.0f - expected[i * SPEEDS + q]);
        }
        for (int i = 0; i < cells * SPEEDS; i++) {
            int q = i % SPEEDS, x = i / SPEEDS % nx, y = i / SPEEDS / nx;
            other[i] = expected[(((y - dy[q] + ny) % ny) * nx + (x - dx[q] + nx) % nx) * SPEEDS + q];
        }
        memcpy(expected, other, bytes);
    }
    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < cells * SPEEDS; i++) {
        wrong += !(fabsf(f[i] - expected[i]) < 1e-4f);
        sum += (i % 9 + 1) * (double)f[i];
    }
    printf("%d x %d: sum %.9e\n%s\n", nx, ny, sum, wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(c.f);
    clReleaseMemObject(c.g);
    clReleaseMemObject(c.wall);
    clReleaseKernel(collide);
    clReleaseKernel(stream);
    clReleaseCommandQueue(c.queue);
    clReleaseContext(c.context);
    return wrong != 0;
}
