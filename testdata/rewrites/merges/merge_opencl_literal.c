//@ layout = "a + b = aos"
#include <CL/cl.h>
#include <stdio.h>
static const char *text =
    "__kernel void add(__global float *a, __global const float *b, int n) {\n"
    "    int i = get_global_id(0) * 2;\n"
    "    if (i < n) a[i] += b[i];\n"
    "}\n";
int main(int argc, char **argv)
{
    float h[64], g[64];
    const int n = argc + 63;
    size_t global = 64;
    cl_platform_id platform;
    cl_device_id device;
    for (int i = 0; i < n; i++) h[i] = i, g[i] = 2*i;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel step = clCreateKernel(program, "add", NULL);
    cl_mem d = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    cl_mem e = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, n * sizeof(float), h, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, e, CL_TRUE, 0, n * sizeof(float), g, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, e, CL_TRUE, 5, 10, h, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, d, CL_TRUE, 6, 1, h+7, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, d, CL_TRUE, 30, 3, h+7, 0, NULL, NULL);
    float three[2] = {3, 4};
    clEnqueueFillBuffer(queue, e, three, 8, 16, 24, 0, NULL, NULL);
    clEnqueueFillBuffer(queue, e, "a", 1, 63, 7, 0, NULL, NULL);
    clEnqueueCopyBuffer(queue, d, d, 0, 128, 100, 0, NULL, NULL);
    clEnqueueCopyBuffer(queue, d, d, 2, 129, 11, 0, NULL, NULL);
    clSetKernelArg(step, 0, sizeof(cl_mem), &d);
    clSetKernelArg(step, 1, sizeof(cl_mem), &e);
    clSetKernelArg(step, 2, sizeof(int), &n);
    clEnqueueNDRangeKernel(queue, step, 1, NULL, &global, NULL, 0, NULL, NULL);
    float *m = clEnqueueMapBuffer(queue, e, CL_TRUE, CL_MAP_WRITE, 8, 30, 0, NULL, NULL, NULL);
    m[1] = 7;
    clEnqueueUnmapMemObject(queue, e, m, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, d, CL_TRUE, 0, n * sizeof(float), h, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, e, CL_TRUE, 0, n * sizeof(float), g, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, d, CL_TRUE, 9, 5, g, 0, NULL, NULL);
    for (int i = 0; i < n; i++) printf("%g %g\n", h[i], g[i]);
    clReleaseMemObject(d);
    clReleaseMemObject(e);
    return 0;
}
