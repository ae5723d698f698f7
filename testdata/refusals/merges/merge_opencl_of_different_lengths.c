//@ layout = "a + b = aos"
#include <CL/cl.h>
#include <stdio.h>
static const char *text =
    "__kernel void add(__global float *a, __global const float *b, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) a[i] += b[i];\n"
    "}\n";
int main(int argc, char **argv)
{
    float h[64] = {0};
    int n = 64;
    size_t global = 64;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    cl_mem y = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * n * sizeof(float), NULL, NULL); //~ LC0087 these arrays may have different lengths
    clEnqueueWriteBuffer(queue, x, CL_TRUE, 0, n * sizeof(float), h, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, y, CL_TRUE, 0, n * sizeof(float), h, 0, NULL, NULL);
    clSetKernelArg(add, 0, sizeof(cl_mem), &x);
    clSetKernelArg(add, 1, sizeof(cl_mem), &y);
    clSetKernelArg(add, 2, sizeof(int), &n);
    clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, x, CL_TRUE, 0, n * sizeof(float), h, 0, NULL, NULL);
    printf("%f\n", h[3]);
    return 0;
}
