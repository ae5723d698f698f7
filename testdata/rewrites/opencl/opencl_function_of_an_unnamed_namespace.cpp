//@ layout = "P = soa"
#include <CL/cl.h>
struct P {
    float x, y;
};
static const char *text = R"(
struct P { float x, y; };
__kernel void add(__global struct P *p, int n) {
    int i = get_global_id(0);
    if (i < n) p[i].x += p[i].y;
}
)";
namespace device {
cl_mem memory;
namespace {
void write(cl_command_queue queue, const void *host, size_t bytes)
{
    clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, host, 0, nullptr, nullptr);
}
}
}
int main()
{
    P p[64] = {};
    int n = 64;
    size_t global = 64;
    cl_platform_id platform;
    cl_device_id id;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr);
    cl_context context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
    cl_command_queue queue = clCreateCommandQueue(context, id, 0, nullptr);
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    clBuildProgram(program, 1, &id, "", nullptr, nullptr);
    cl_kernel add = clCreateKernel(program, "add", nullptr);
    device::memory = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(P), nullptr, nullptr);
    device::write(queue, p, n * sizeof(P));
    clSetKernelArg(add, 0, sizeof(cl_mem), &device::memory);
    clSetKernelArg(add, 1, sizeof(int), &n);
    clEnqueueNDRangeKernel(queue, add, 1, nullptr, &global, nullptr, 0, nullptr, nullptr);
    clEnqueueReadBuffer(queue, device::memory, CL_TRUE, 0, n * sizeof(P), p, 0, nullptr, nullptr);
    return 0;
}
