//@ layout = "P = soa"
#include <CL/cl.h>
#include <stdio.h>
struct P {
    float x, y;
    int id;
};
static const char *text =
    "struct P { float x, y; int id; };\n"
    "__kernel void pull(__global struct P *p, int n) {\n" //~ LC0024 an option of `clBuildProgram` defines `float`, a word of OpenCL C
    "    int i = get_global_id(0);\n"
    "    if (i < n) p[i].x += p[i].y;\n"
    "}\n";
int main(void)
{
    struct P h[50] = {{0}};
    int n = 50;
    size_t global = 50;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "-Dn=n -D float=half", NULL, NULL);
    cl_kernel pull = clCreateKernel(program, "pull", NULL);
    cl_mem d = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(struct P), NULL, NULL);
    clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, n * sizeof(struct P), h, 0, NULL, NULL);
    clSetKernelArg(pull, 0, sizeof(cl_mem), &d);
    clSetKernelArg(pull, 1, sizeof(int), &n);
    clEnqueueNDRangeKernel(queue, pull, 1, NULL, &global, NULL, 0, NULL, NULL);
    printf("%d\n", clEnqueueReadBuffer(queue, d, CL_TRUE, 0, n * sizeof(struct P), h, 0, NULL, NULL));
    return 0;
}
