//@ layout = "P = soa"
//@ errors = ["LC0042"]
#include <CL/cl.h>
#include <stdio.h>
struct P {
    float x, y;
    int id;
};
static const char *text =
    "struct P { float x, y; int id; };\n"
    "#define KERNEL(name) __kernel void name\n"
    "KERNEL(step)(__global struct P *p, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) p[i].x += p[i].y;\n"
    "}\n";
int main(int argc, char **argv)
{
    struct P h[64] = {{0}};
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
    cl_kernel step = clCreateKernel(program, "step", NULL); //~ LC0073 buffers for this kernel keep their layout
    cl_mem d = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(struct P), NULL, NULL); //~ LC0042 no array of structs in device memory is called `P` or has elements of that type
    clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, n * sizeof(struct P), h, 0, NULL, NULL);
    clSetKernelArg(step, 0, sizeof(cl_mem), &d);
    clSetKernelArg(step, 1, sizeof(int), &n);
    clEnqueueNDRangeKernel(queue, step, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, d, CL_TRUE, 0, n * sizeof(struct P), h, 0, NULL, NULL);
    printf("%f\n", h[3].x);
    return 0;
}
