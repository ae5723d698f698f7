/* Red-black relaxation with coefficients: a work-item per point of one colour, so that neighbours are two values apart in
 * each of the five buffers. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *call, int line)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "line %d: %s: error %d\n", line, call, status);
        exit(1);
    }
}

#define OCL(call) check(call, #call, __LINE__)
#define MAKE(target, flags, bytes, host)                             \
    do {                                                             \
        cl_int error;                                                \
        target = clCreateBuffer(context, flags, bytes, host, &error); \
        OCL(error);                                                  \
    } while (0)

static const char *text =
    "__kernel void relax(__global float *u, __global const float *west, __global const float *east,\n"
    "                    __global const float *south, __global const float *north, __global const float *source,\n"
    "                    const int n, const int colour)\n"
    "{\n"
    "    int row = get_global_id(1), column = 2 * get_global_id(0) + (row + colour) % 2;\n"
    "    if (column >= n)\n"
    "        return;\n"
    "    int p = row * n + column, q = (row + 1) * (n + 2) + column + 1;\n"
    "    u[q] = source[p] + west[p] * u[q - 1] + east[p] * u[q + 1]\n"
    "         + south[p] * u[q - (n + 2)] + north[p] * u[q + (n + 2)];\n"
    "}\n"
    "// What leaves a point to one side.\n"
    "__kernel void damp(__global float *side, const float by, const int count)\n"
    "{\n"
    "    for (int p = get_global_id(0); p < count; p += get_global_size(0))\n"
    "        side[p] *= by;\n"
    "}\n";

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 70, rounds = argc > 2 ? atoi(argv[2]) : 3;
    if (n < 1) {
        printf("no points\nPASSED\n");
        return 0;
    }
    const int count = n * n;
    const size_t bytes = count * sizeof(cl_float), all = (size_t)(n + 2) * (n + 2);
    float *c[5], *u = malloc(all * sizeof(float)), *got = malloc(all * sizeof(float));
    unsigned seed = 12345;
    for (int k = 0; k < 5; ++k) {
        c[k] = malloc(bytes);
        for (int i = 0; i < count; ++i) {
            seed = seed * 1664525u + 1013904223u;
            c[k][i] = (seed >> 20) * (1.0f / 16384);
        }
    }
    for (size_t i = 0; i < all; ++i)
        u[i] = (i % 11) * 0.1f;

    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    OCL(clGetPlatformIDs(1, &platform, NULL));
    OCL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OCL(error);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    OCL(error);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    OCL(error);
    OCL(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    cl_kernel relax = clCreateKernel(program, "relax", &error);
    OCL(error);
    cl_kernel damp = clCreateKernel(program, "damp", &error);
    OCL(error);

    cl_mem west = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    OCL(error);
    cl_mem east = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, NULL, &error);
    OCL(error);
    cl_mem south = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
    OCL(error);
    cl_mem north = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count * sizeof(float), c[3], &error);
    OCL(error);
    cl_mem source, field;
    MAKE(source, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, c[4]);
    MAKE(field, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, all * sizeof(float), u);

    /* Whatever is in the middle of a value first, then all around it. */
    cl_event done[3];
    const size_t cut = bytes / 3;
    OCL(clEnqueueWriteBuffer(queue, west, CL_TRUE, cut, bytes - cut, (const char *)c[0] + cut, 0, NULL, NULL));
    if (cut > 0)
        OCL(clEnqueueWriteBuffer(queue, west, CL_TRUE, 0, cut, c[0], 0, NULL, NULL));
    OCL(clEnqueueWriteBuffer(queue, east, CL_FALSE, 0, bytes, c[1], 0, NULL, &done[0]));
    float *mapped = clEnqueueMapBuffer(queue, south, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &error);
    OCL(error);
    for (int i = 0; i < count; ++i)
        mapped[i] = c[2][i];
    OCL(clEnqueueUnmapMemObject(queue, south, mapped, 0, NULL, &done[1]));
    const float by = 0.5f;
    OCL(clSetKernelArg(damp, 0, sizeof(cl_mem), &west));
    OCL(clSetKernelArg(damp, 1, sizeof by, &by));
    OCL(clSetKernelArg(damp, 2, sizeof count, &count));
    const size_t few = 32;
    OCL(clEnqueueNDRangeKernel(queue, damp, 1, NULL, &few, NULL, 2, done, &done[2]));
    OCL(clWaitForEvents(1, &done[2]));

    OCL(clSetKernelArg(relax, 0, sizeof(cl_mem), &field));
    OCL(clSetKernelArg(relax, 1, sizeof(cl_mem), &west));
    OCL(clSetKernelArg(relax, 2, sizeof(cl_mem), &east));
    OCL(clSetKernelArg(relax, 3, sizeof(cl_mem), &south));
    OCL(clSetKernelArg(relax, 4, sizeof(cl_mem), &north));
    OCL(clSetKernelArg(relax, 5, sizeof(cl_mem), &source));
    OCL(clSetKernelArg(relax, 6, sizeof(int), &n));
    const size_t items[2] = {n / 2 + 1, n};
    for (int round = 0; round < rounds; ++round)
        for (int colour = 0; colour < 2; ++colour) {
            OCL(clSetKernelArg(relax, 7, sizeof(int), &colour));
            OCL(clEnqueueNDRangeKernel(queue, relax, 2, NULL, items, NULL, 0, NULL, NULL));
            OCL(clFinish(queue));
        }
    OCL(clEnqueueReadBuffer(queue, field, CL_TRUE, 0, all * sizeof(float), got, 0, NULL, NULL));
    /* The coefficients are as they were. */
    int wrong = 0;
    float *back = malloc(bytes);
    OCL(clEnqueueReadBuffer(queue, west, CL_TRUE, 0, bytes, back, 0, NULL, NULL));
    for (int i = 0; i < count; ++i)
        wrong += back[i] != c[0][i] * by;
    OCL(clEnqueueReadBuffer(queue, north, CL_TRUE, bytes - sizeof(float), sizeof(float), back, 0, NULL, NULL));
    wrong += back[0] != c[3][count - 1];
    for (int k = 0; k < 3; ++k)
        clReleaseEvent(done[k]);
    clReleaseMemObject(west);
    clReleaseMemObject(east);
    clReleaseMemObject(south);
    clReleaseMemObject(north);
    clReleaseMemObject(source);
    clReleaseMemObject(field);

    for (int round = 0; round < rounds; ++round)
        for (int colour = 0; colour < 2; ++colour)
            for (int row = 0; row < n; ++row)
                for (int column = (row + colour) % 2; column < n; column += 2) {
                    const int p = row * n + column, q = (row + 1) * (n + 2) + column + 1;
                    u[q] = c[4][p] + c[0][p] * by * u[q - 1] + c[1][p] * u[q + 1] + c[2][p] * u[q - (n + 2)] +
                           c[3][p] * u[q + (n + 2)];
                }
    double sum = 0;
    for (size_t i = 0; i < all; ++i) {
        wrong += fabsf(u[i] - got[i]) > 1e-4f * (1 + fabsf(u[i]));
        sum += got[i] * (1 + i % 5);
    }
    printf("%.7g\n%s\n", sum, wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
