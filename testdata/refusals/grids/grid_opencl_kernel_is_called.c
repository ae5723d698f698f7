//@ layout = "u = [y/4, x/4, y%4, x%4]"
#include <CL/cl.h>
#include <stdio.h>
static const char *text =
    "__kernel void one(__global float *u, int nx, int ny, int x, int y) {\n"
    "    u[y * nx + x] *= 0.5f;\n" //~ LC0067 nothing proves that `x` in the index `y * nx + x` stays inside its extent `nx`; add a guard, or use `--assume in-bounds` or a `#pragma layoutc grid` accepts it
    "}\n"
    "__kernel void smooth(__global float *u, int nx, int ny) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x < nx && y < ny) one(u, nx, ny, x, y);\n"
    "}\n";
int main(void)
{
    float h[64] = {0};
    int nx = 8, ny = 6;
    size_t global[2] = {8, 6}, bytes = 48 * sizeof(float);
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel smooth = clCreateKernel(program, "smooth", NULL);
    cl_mem d_u = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    clEnqueueWriteBuffer(queue, d_u, CL_TRUE, 0, bytes, h, 0, NULL, NULL);
    clSetKernelArg(smooth, 0, sizeof(cl_mem), &d_u);
    clSetKernelArg(smooth, 1, sizeof(int), &nx);
    clSetKernelArg(smooth, 2, sizeof(int), &ny);
    clEnqueueNDRangeKernel(queue, smooth, 2, NULL, global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, d_u, CL_TRUE, 0, bytes, h, 0, NULL, NULL);
    printf("%f\n", h[3]);
    return 0;
}
