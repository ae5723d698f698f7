/* A queue out of order: only events say what waits for what, and a kernel works on one half while the host writes the other. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    cl_float load;
    cl_float rate;
    cl_int tag;
    cl_double total;
};

static const char *source =
    "struct node { float load; float rate; int tag; double total; };\n"
    "__kernel void work(__global struct node *nodes, int n, int rounds)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float x = 0.0f;\n"
    "    if (i >= n) return;\n"
    "    for (int k = 0; k < rounds; k++) x = x * 0.5f + 1.0f;\n"
    "    nodes[i].load += x > 1.5f ? 1.0f : 2.0f;\n"
    "    nodes[i].tag += 1;\n"
    "    nodes[i].total += 2.0;\n"
    "}\n"
    "__kernel void gather(__global struct node *nodes, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    nodes[i].rate = nodes[i].load + nodes[i].tag + (float)nodes[i].total;\n"
    "}\n";

#define E(call) do { if ((call) != CL_SUCCESS) { fprintf(stderr, "error in line %d\n", __LINE__); exit(1); } } while (0)

int main(int argc, char **argv)
{
    const cl_int n = argc > 1 ? atoi(argv[1]) : 300, rounds = 100000, laps = 6;
    const size_t bytes = n * sizeof(struct node), items = n, start = n / 2, rest = n - n / 2;
    struct node *in = calloc(n, sizeof(struct node)), *out = calloc(n, sizeof(struct node));
    for (int i = 0; i < n; i++) {
        in[i].load = (float)(i % 50);
        in[i].tag = i % 30;
        in[i].total = i % 20;
    }
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    E(clGetPlatformIDs(1, &platform, NULL));
    E(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    E(err);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    if (err != CL_SUCCESS)
        queue = clCreateCommandQueue(context, device, 0, &err);
    E(err);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    E(err);
    E(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    cl_kernel work = clCreateKernel(program, "work", &err);
    E(err);
    cl_kernel gather = clCreateKernel(program, "gather", &err);
    E(err);
    cl_mem first = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, in, &err);
    E(err);
    cl_mem second = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    E(err);
    E(clSetKernelArg(work, 0, sizeof(cl_mem), &first));
    E(clSetKernelArg(work, 1, sizeof(cl_int), &n));
    E(clSetKernelArg(work, 2, sizeof(cl_int), &rounds));
    E(clSetKernelArg(gather, 0, sizeof(cl_mem), &second));
    E(clSetKernelArg(gather, 1, sizeof(cl_int), &n));
    int wrong = 0;
    for (int lap = 1; lap <= laps; lap++) {
        cl_event done[4];
        E(clEnqueueNDRangeKernel(queue, work, 1, NULL, &items, NULL, 0, NULL, &done[0]));
        E(clEnqueueCopyBuffer(queue, first, second, 0, 0, bytes, 1, &done[0], &done[1]));
        E(clEnqueueNDRangeKernel(queue, gather, 1, NULL, &items, NULL, 1, &done[1], &done[2]));
        E(clEnqueueReadBuffer(queue, second, CL_FALSE, 0, bytes, out, 1, &done[2], &done[3]));
        E(clWaitForEvents(1, &done[3]));
        for (int i = 0; i < n; i++)
            wrong += out[i].rate != in[i].load + in[i].tag + (float)in[i].total + 4.0f * lap;
        for (int k = 0; k < 4; k++)
            E(clReleaseEvent(done[k]));
    }
    for (int lap = 0; lap < laps && start > 0; lap++) {
        cl_event done[9];
        E(clEnqueueNDRangeKernel(queue, work, 1, &start, &rest, NULL, 0, NULL, &done[0]));
        for (int k = 1; k < 9; k++)
            E(clEnqueueWriteBuffer(queue, first, CL_FALSE, 0, start * sizeof(struct node), in, 0, NULL, &done[k]));
        E(clWaitForEvents(9, done));
        for (int k = 0; k < 9; k++)
            E(clReleaseEvent(done[k]));
    }
    E(clEnqueueReadBuffer(queue, first, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const int worked = (size_t)i < start ? 0 : start > 0 ? 2 * laps : laps;
        wrong += out[i].tag != in[i].tag + worked || out[i].total != in[i].total + 2.0 * worked;
        sum += out[i].load + out[i].tag + out[i].total;
    }
    printf("%d nodes, sum %.1f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseKernel(work);
    clReleaseKernel(gather);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(in);
    free(out);
    return wrong != 0;
}
