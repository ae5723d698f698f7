/* Two halves of an array on two queues; nothing blocks, events say what waits for what. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

struct packet {
    cl_uint id;
    cl_uint size;
    cl_uint checksum;
    cl_ushort port;
    cl_ushort hops;
};

#define E(call) do { if ((call) != CL_SUCCESS) { fprintf(stderr, "error in line %d\n", __LINE__); exit(1); } } while (0)

int main(int argc, char **argv)
{
    const cl_uint n = argc > 1 ? (cl_uint)atoi(argv[1]) : 700;
    const cl_uint key = 0x9e3779b9u;
    if (n == 0) {
        printf("no packets\nPASSED\n");
        return 0;
    }
    struct packet *in = malloc(n * sizeof(struct packet));
    struct packet *out = malloc(n * sizeof(struct packet));
    for (cl_uint i = 0; i < n; i++) {
        struct packet p = {i, i * 97 % 1500, 0, (cl_ushort)(i * 13), (cl_ushort)(i % 30)};
        in[i] = p;
    }

    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    E(clGetPlatformIDs(1, &platform, NULL));
    E(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    E(err);
    cl_command_queue queues[2];
    for (int q = 0; q < 2; q++) {
        queues[q] = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
        E(err);
    }
    char text[4096];
    FILE *file = fopen("stages.cl", "r");
    if (!file) {
        printf("no stages.cl\n");
        return 1;
    }
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &err);
    E(err);
    E(clBuildProgram(program, 1, &device, NULL, NULL, NULL));

    const cl_uint halves[2] = {n / 2, n - n / 2};
    cl_mem buffers[2] = {NULL, NULL};
    cl_kernel routes[2], stamps[2];
    for (int q = 0; q < 2; q++) {
        routes[q] = clCreateKernel(program, "route", &err);
        E(err);
        stamps[q] = clCreateKernel(program, "stamp", &err);
        E(err);
        if (halves[q] == 0)
            continue;
        const size_t bytes = halves[q] * sizeof(struct packet), first = q == 0 ? 0 : halves[0], items = halves[q];
        cl_event written, routed, stamped, read;
        buffers[q] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
        E(err);
        E(clEnqueueWriteBuffer(queues[q], buffers[q], CL_FALSE, 0, bytes, in + first, 0, NULL, &written));
        E(clSetKernelArg(routes[q], 0, sizeof(cl_mem), &buffers[q]));
        E(clSetKernelArg(routes[q], 1, sizeof(cl_uint), &halves[q]));
        E(clEnqueueNDRangeKernel(queues[q], routes[q], 1, NULL, &items, NULL, 1, &written, &routed));
        E(clSetKernelArg(stamps[q], 0, sizeof(cl_mem), &buffers[q]));
        E(clSetKernelArg(stamps[q], 1, sizeof(cl_uint), &halves[q]));
        E(clSetKernelArg(stamps[q], 2, sizeof(cl_uint), &key));
        E(clEnqueueNDRangeKernel(queues[q], stamps[q], 1, NULL, &items, NULL, 1, &routed, &stamped));
        E(clEnqueueReadBuffer(queues[q], buffers[q], CL_FALSE, 0, bytes, out + first, 1, &stamped, &read));
        E(clFlush(queues[q]));
        if (q == 1) {
            E(clWaitForEvents(1, &read));
        }
        clReleaseEvent(written);
        clReleaseEvent(routed);
        clReleaseEvent(stamped);
        clReleaseEvent(read);
    }
    E(clFinish(queues[0]));

    int wrong = 0;
    unsigned hash = 0;
    for (cl_uint i = 0; i < n; i++) {
        cl_ushort hops = in[i].hops + 1, port = (cl_ushort)(in[i].port * 5u + hops);
        wrong += out[i].id != i || out[i].size != in[i].size || out[i].hops != hops || out[i].port != port;
        wrong += out[i].checksum != ((i * 31u + in[i].size) ^ key * port);
        hash = hash * 31 + out[i].id + 3 * out[i].size + 5 * out[i].checksum + 7 * out[i].port + 11 * out[i].hops;
    }
    printf("%u packets, hash %08x\n%s\n", n, hash, wrong ? "FAILED" : "PASSED");
    for (int q = 0; q < 2; q++) {
        if (buffers[q])
            clReleaseMemObject(buffers[q]);
        clReleaseKernel(routes[q]);
        clReleaseKernel(stamps[q]);
        clReleaseCommandQueue(queues[q]);
    }
    clReleaseProgram(program);
    clReleaseContext(context);
    free(in);
    free(out);
    return wrong != 0;
}
