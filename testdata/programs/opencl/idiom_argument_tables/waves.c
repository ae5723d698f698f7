// Arguments of kernels in tables, which loops and a function hand over.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float height, speed;
    int gauge;
} Wave;

typedef struct {
    double sum;
    int count, last;
} Gauge;

static const char *source =
    "typedef struct { float height, speed; int gauge; } Wave;\n"
    "typedef struct { double sum; int count, last; } Gauge;\n"
    "__kernel void roll(__global Wave *waves, float dt, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    waves[i].height += dt * waves[i].speed;\n"
    "    waves[i].speed = -0.5f * waves[i].speed;\n"
    "}\n"
    "__kernel void read_off(__global Gauge *gauges, int m, __global const Wave *waves, int n)\n"
    "{\n"
    "    int g = get_global_id(0);\n"
    "    if (g >= m) return;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        if (waves[i].gauge == g) {\n"
    "            gauges[g].sum += waves[i].height;\n"
    "            gauges[g].count++;\n"
    "            gauges[g].last = i;\n"
    "        }\n"
    "}\n"
    "__kernel void calm(__global Wave *waves, __global const Gauge *gauges, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n && gauges[waves[i].gauge].last == i) waves[i].height = 0.0f;\n"
    "}\n";

typedef struct {
    size_t size;
    const void *value;
} Argument;

static void check(cl_int e, const char *what)
{
    if (e != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, e);
        exit(1);
    }
}

static int set_all(cl_kernel kernel, const Argument *arguments, int count)
{
    for (int i = 0; i < count; i++) {
        cl_int e = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
        if (e != CL_SUCCESS)
            return e;
    }
    return CL_SUCCESS;
}

enum { GAUGES = 8 };

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 250, m = GAUGES;
    if (n < 1) {
        printf("no waves\nPASSED\n");
        return 0;
    }
    Wave *waves = malloc(n * sizeof(Wave)), *want = malloc(n * sizeof(Wave));
    Gauge gauges[GAUGES] = {{0}}, sums[GAUGES] = {{0}};
    for (int i = 0; i < n; i++) {
        waves[i].height = (float)(i * 5 % 32);
        waves[i].speed = (float)(i * 3 % 16 - 8);
        waves[i].gauge = i * 11 % GAUGES;
        want[i] = waves[i];
    }
    cl_int e;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel roll = clCreateKernel(program, "roll", &e);
    cl_kernel read_off = clCreateKernel(program, "read_off", &e);
    cl_kernel calm = clCreateKernel(program, "calm", &e);
    cl_mem d_waves = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(Wave), NULL, &e);
    cl_mem d_gauges = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof gauges, NULL, &e);
    check(clEnqueueWriteBuffer(queue, d_waves, CL_TRUE, 0, n * sizeof(Wave), waves, 0, NULL, NULL), "waves");
    check(clEnqueueWriteBuffer(queue, d_gauges, CL_TRUE, 0, sizeof gauges, gauges, 0, NULL, NULL), "gauges");

    float dt = 0.25f;
    struct { size_t size; void *value; } of_roll[] = {{sizeof(cl_mem), &d_waves}, {sizeof(float), &dt}, {sizeof n, &n}};
    for (size_t i = 0; i < sizeof(of_roll) / sizeof(of_roll[0]); i++)
        check(clSetKernelArg(roll, i, of_roll[i].size, of_roll[i].value), "roll");
    const Argument of_read_off[] = {
        {sizeof(cl_mem), &d_gauges}, {sizeof(int), &m}, {sizeof(cl_mem), &d_waves}, {sizeof(int), &n}};
    check(set_all(read_off, of_read_off, 4), "read_off");
    void *of_calm[] = {&d_waves, &d_gauges, &n};
    const size_t sizes[] = {sizeof(cl_mem), sizeof(cl_mem), sizeof(int)};
    for (int i = 0; i < 3; ++i)
        check(clSetKernelArg(calm, i, sizes[i], of_calm[i]), "calm");

    size_t all = n, groups = GAUGES;
    check(clEnqueueNDRangeKernel(queue, roll, 1, NULL, &all, NULL, 0, NULL, NULL), "roll");
    check(clEnqueueNDRangeKernel(queue, read_off, 1, NULL, &groups, NULL, 0, NULL, NULL), "read_off");
    check(clEnqueueNDRangeKernel(queue, calm, 1, NULL, &all, NULL, 0, NULL, NULL), "calm");
    check(clEnqueueReadBuffer(queue, d_waves, CL_TRUE, 0, n * sizeof(Wave), waves, 0, NULL, NULL), "waves");
    check(clEnqueueReadBuffer(queue, d_gauges, CL_TRUE, 0, sizeof gauges, gauges, 0, NULL, NULL), "gauges");

    int wrong = 0;
    double heights = 0;
    for (int i = 0; i < n; i++) {
        want[i].height += dt * want[i].speed;
        want[i].speed = -0.5f * want[i].speed;
        sums[want[i].gauge].sum += want[i].height;
        sums[want[i].gauge].count++;
        sums[want[i].gauge].last = i;
    }
    for (int i = 0; i < n; i++) {
        if (sums[want[i].gauge].last == i)
            want[i].height = 0;
        wrong += waves[i].height != want[i].height || waves[i].speed != want[i].speed || waves[i].gauge != want[i].gauge;
        heights += (i % 5 + 1) * waves[i].height;
    }
    for (int g = 0; g < GAUGES; g++) {
        wrong += gauges[g].sum != sums[g].sum || gauges[g].count != sums[g].count || gauges[g].last != sums[g].last;
        heights += (g + 1) * gauges[g].sum;
    }
    printf("%d waves: %.4f\n%s\n", n, heights, wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(d_waves);
    clReleaseMemObject(d_gauges);
    clReleaseKernel(roll);
    clReleaseKernel(read_off);
    clReleaseKernel(calm);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(waves);
    free(want);
    return wrong != 0;
}
