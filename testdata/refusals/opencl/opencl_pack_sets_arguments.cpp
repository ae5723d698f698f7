//@ layout = "P = soa"
#include <CL/cl.h>
struct P {
    float x, y;
    int id;
};
static const char *text = R"(
struct P { float x, y; int id; };
__kernel void step(__global struct P *p, __global float *w, int n) {
    int i = get_global_id(0);
    if (i < n) { p[i].x += p[i].y; w[i] += p[i].id; }
}
)";
template <class... Rest>
static void set_all(cl_kernel kernel, const Rest &...rest)
{
    cl_uint index = 0;
    (clSetKernelArg(kernel, index++, sizeof(Rest), &rest), ...); //~ LC0029 handles are not followed into templates //~ LC0070 this text is not modelled and may set arguments of any kernel
}
int main()
{
    P p[64] = {};
    float w[64] = {};
    int n = 64;
    size_t global = 64;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    clBuildProgram(program, 1, &device, "", nullptr, nullptr);
    cl_kernel step = clCreateKernel(program, "step", nullptr);
    cl_mem d_p = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof p, p, nullptr),
           d_w = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof w, w, nullptr);
    set_all(step, d_p, d_w, n); //~ LC0010 `set_all` is not followed
    clEnqueueNDRangeKernel(queue, step, 1, nullptr, &global, nullptr, 0, nullptr, nullptr);
    clEnqueueReadBuffer(queue, d_p, CL_TRUE, 0, n * sizeof(P), p, 0, nullptr, nullptr);
    return 0;
}
