//@ layout = "P = soa"
#include <CL/opencl.hpp>
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
static void run(cl::KernelFunctor<cl::Buffer, cl::Buffer, int> step, cl::CommandQueue &queue, cl::Buffer &p, cl::Buffer &w) //~ LC0070 a functor gives the kernel its arguments
{
    step(cl::EnqueueArgs(queue, cl::NDRange(64)), p, w, 64);
}
int main()
{
    P p[64] = {};
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context);
    cl::Program program(context, text);
    program.build("");
    cl::Buffer d_p(context, CL_MEM_READ_WRITE, sizeof p), d_w(context, CL_MEM_READ_WRITE, 64 * sizeof(float));
    run(cl::KernelFunctor<cl::Buffer, cl::Buffer, int>(program, "step"), queue, d_p, d_w); //~ LC0070 a functor gives the kernel its arguments
    queue.enqueueReadBuffer(d_p, CL_TRUE, 0, sizeof p, p);
    return 0;
}
