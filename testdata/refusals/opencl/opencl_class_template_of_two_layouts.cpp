//@ layouts = ["P = soa", "Q = soa"]
#include <CL/cl.h>
struct P {
    float x, y;
    int id;
};
struct Q {
    double w;
    int a, b;
};
static const char *text = R"(
struct P { float x, y; int id; };
struct Q { double w; int a, b; };
__kernel void step(__global struct P *p, __global struct Q *q, int n) {
    int i = get_global_id(0);
    if (i < n) { p[i].x += p[i].y; q[i].w += p[i].id; }
}
)";
template <class T>
class Buffer {
    cl_mem memory;
    size_t n;

public:
    Buffer(cl_context context, size_t n) : n(n)
    {
        memory = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(T), nullptr, nullptr); //~ LC0029 the text of a template is not rewritten for one of its instances
    }
    cl_mem *get() { return &memory; }
    void read(cl_command_queue queue, T *host)
    {
        clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, n * sizeof(T), host, 0, nullptr, nullptr); //~ LC0029 the text of a template is not rewritten for one of its instances
    }
};
int main()
{
    P p[64] = {};
    Q q[64] = {};
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
    Buffer<P> d_p(context, n);
    Buffer<Q> d_q(context, n);
    clSetKernelArg(step, 0, sizeof(cl_mem), d_p.get());
    clSetKernelArg(step, 1, sizeof(cl_mem), d_q.get());
    clSetKernelArg(step, 2, sizeof(int), &n);
    clEnqueueNDRangeKernel(queue, step, 1, nullptr, &global, nullptr, 0, nullptr, nullptr);
    d_p.read(queue, p);
    d_q.read(queue, q);
    return 0;
}
