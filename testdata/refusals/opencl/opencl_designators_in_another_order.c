//@ layouts = ["P = soa"]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
typedef struct { float x, y; int id; } P;
typedef struct { cl_mem a, b; int n; } Pair;
static const char *text =
    "typedef struct { float x, y; int id; } P;\n"
    "__kernel void advance(__global P *p, __global P *q, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) { p[i].x += q[i].y; q[i].id += p[i].id; }\n"
    "}\n";
int main(void)
{
    enum { N = 64 };
    P p[N], q[N];
    int n = N;
    size_t global = N;
    cl_platform_id platform; cl_device_id device;
    for (int i = 0; i < N; i++) { p[i].x = i; p[i].y = 2 * i; p[i].id = i; q[i].x = 100 + i; q[i].y = 3 * i; q[i].id = 7 * i; }
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel step = clCreateKernel(program, "advance", NULL);
    cl_mem bp = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof p, NULL, NULL);
    cl_mem bq = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof q, NULL, NULL);
    clEnqueueWriteBuffer(queue, bp, CL_TRUE, 0, sizeof p, p, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, bq, CL_TRUE, 0, sizeof q, q, 0, NULL, NULL);
    Pair h = {.b = bp, .a = bq, .n = 3}; //~ LC0077 this text is not modelled and mentions `a` //~ LC0077 this text is not modelled and mentions `b`
    clSetKernelArg(step, 0, sizeof(cl_mem), &h.b); //~ LC0031 no call that makes this buffer is seen
    clSetKernelArg(step, 1, sizeof(cl_mem), &h.a); //~ LC0031 no call that makes this buffer is seen
    clSetKernelArg(step, 2, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, step, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, bp, CL_TRUE, 0, sizeof p, p, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, bq, CL_TRUE, 0, sizeof q, q, 0, NULL, NULL);
    for (int i = 0; i < N; i++) printf("%g %g %d %g %g %d\n", p[i].x, p[i].y, p[i].id, q[i].x, q[i].y, q[i].id);
    return 0;
}
