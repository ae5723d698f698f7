/* Calls that OpenCL refuses: the code is the same, and nothing is moved. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    cl_int sensor;
    cl_float level;
    cl_float history[3];
    cl_short state;
    cl_short flags;
};

static const char *source =
    "struct reading { int sensor; float level; float history[3]; short state; short flags; };\n"
    "__kernel void settle(__global struct reading *readings, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    readings[i].level += 0.5f * readings[i].history[i % 3];\n"
    "    readings[i].state ^= (short)(readings[i].sensor & 255);\n"
    "}\n";

static int wrong;

static void refused(const char *what, cl_int expected, cl_int code)
{
    printf("%s: %d\n", what, code);
    wrong += code != expected;
}

static unsigned hash(const void *memory, size_t bytes)
{
    unsigned hash = 7;
    for (size_t i = 0; i < bytes; i++)
        hash = hash * 31 + ((const unsigned char *)memory)[i];
    return hash;
}

int main(int argc, char **argv)
{
    const cl_int n = argc > 1 ? atoi(argv[1]) : 100;
    const size_t one = sizeof(struct reading), bytes = n * one, items = n;
    struct reading *in = calloc(2 * n, one), *out = calloc(2 * n, one);
    for (int i = 0; i < 2 * n; i++) {
        struct reading r = {i * 5, i * 0.5f, {i + 1.0f, i + 2.0f, i + 3.0f}, (cl_short)i, (cl_short)(i * 3)};
        in[i] = r;
    }
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, NULL, NULL, NULL) != CL_SUCCESS)
        return 1;
    cl_kernel settle = clCreateKernel(program, "settle", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, &err);
    refused("no bytes", CL_INVALID_BUFFER_SIZE, err);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, (size_t)-1, NULL, &err);
    refused("all bytes", CL_INVALID_BUFFER_SIZE, err);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    cl_mem half = clCreateBuffer(context, CL_MEM_READ_WRITE, (n + 1) / 2 * one, NULL, NULL);
    clSetKernelArg(settle, 0, sizeof(cl_mem), &half);
    clSetKernelArg(settle, 0, sizeof(cl_mem), &buffer);
    clSetKernelArg(settle, 1, sizeof(cl_int), &n);
    clEnqueueWriteBuffer(queue, half, CL_TRUE, 0, (n + 1) / 2 * one, in, 0, NULL, NULL);
    err = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, in, 0, NULL, NULL);
    wrong += err != CL_SUCCESS;

    refused("write more", CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes + 1, in + n, 0, NULL, NULL));
    refused("write behind", CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, bytes, one, in + n, 0, NULL, NULL));
    refused("write over the end", CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, bytes - 2, 4, in + n, 0, NULL, NULL));
    refused("write from nowhere", CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, one, NULL, 0, NULL, NULL));
    refused("write nothing behind", CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, bytes + 1, 0, in + n, 0, NULL, NULL));
    refused("write for no events", CL_INVALID_EVENT_WAIT_LIST, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 3, bytes - 3, in + n, 2, NULL, NULL));
    refused("write to no buffer", CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(queue, NULL, CL_TRUE, 0, one, in + n, 0, NULL, NULL));
    refused("write by no queue", CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBuffer(NULL, buffer, CL_TRUE, 0, one, in + n, 0, NULL, NULL));
    refused("read more", CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, one, bytes, out, 0, NULL, NULL));
    refused("copy over itself", CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, buffer, buffer, 0, one, bytes - one, 0, NULL, NULL));
    refused("copy some over itself", CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, buffer, buffer, 4, 6, 10, 0, NULL, NULL));
    refused("copy more", CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, buffer, half, 0, 0, bytes, 0, NULL, NULL));
    refused("copy from behind", CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, half, buffer, (n + 1) / 2 * one, 0, one, 0, NULL, NULL));
    refused("fill more", CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, &n, 4, one, bytes, 0, NULL, NULL));
    refused("fill with three bytes", CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, "abc", 3, 0, 12, 0, NULL, NULL));
    if (clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 4, bytes, 0, NULL, NULL, &err) != NULL)
        wrong++;
    refused("map more", CL_INVALID_VALUE, err);
    struct reading *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, one, 0, NULL, NULL, &err);
    refused("unmap another one", CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, buffer, in + n, 0, NULL, NULL));
    mapped[0].sensor = 77;
    in[0].sensor = 77;
    err = clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    wrong += err != CL_SUCCESS;

    err = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, bytes - one, one, in + 2 * n - 1, 0, NULL, NULL);
    wrong += err != CL_SUCCESS;
    in[n - 1] = in[2 * n - 1];
    clEnqueueNDRangeKernel(queue, settle, 1, NULL, &items, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL);
    for (int i = 0; i < n; i++) {
        in[i].level += 0.5f * in[i].history[i % 3];
        in[i].state ^= (cl_short)(in[i].sensor & 255);
    }
    wrong += memcmp(in, out, bytes) != 0;
    printf("%d readings, hash %08x\n%s\n", n, hash(out, bytes), wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(buffer);
    clReleaseMemObject(half);
    clReleaseKernel(settle);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(in);
    free(out);
    return wrong != 0;
}
