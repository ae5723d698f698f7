/* Kernel text as the argument of a macro that makes a string of it. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNEL_TEXT(...) #__VA_ARGS__

typedef struct {
    cl_int id;
    cl_int next;     /* index of another item */
    cl_uint weight;
    cl_uint total;   /* result */
} Item;

static const char *text = KERNEL_TEXT(
    typedef struct {
        int id;
        int next;
        uint weight;
        uint total;
    } Item;

    __kernel void follow(__global Item *items, const int n, const int hops)
    {
        const int i = get_global_id(0);
        if (i >= n)
            return;
        uint total = 0;
        int at = i;
        for (int h = 0; h < hops; h++) {
            total = total * 3u + items[at].weight;
            at = items[at].next;
        }
        items[i].total = total;
    }
);

#define TRY(call) if ((err = (call)) != CL_SUCCESS) { printf("%s: %d\n", #call, err); return 1; }

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1001;
    int hops = 5;
    cl_int err;
    if (n < 1) {
        printf("empty\nPASSED\n");
        return 0;
    }
    Item *items = malloc(n * sizeof *items);
    for (int i = 0; i < n; i++) {
        items[i].id = i;
        items[i].next = (i * 17 + 3) % n;
        items[i].weight = i * 2654435761u >> 20;
        items[i].total = 0;
    }

    cl_platform_id platform;
    cl_device_id device;
    TRY(clGetPlatformIDs(1, &platform, NULL))
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    TRY(clBuildProgram(program, 0, NULL, "-Werror", NULL, NULL))
    cl_kernel kernel = clCreateKernel(program, "follow", &err);

    cl_mem d_items = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof *items, NULL, &err);
    TRY(clEnqueueWriteBuffer(queue, d_items, CL_FALSE, 0, n * sizeof *items, items, 0, NULL, NULL))
    TRY(clSetKernelArg(kernel, 0, sizeof d_items, &d_items))
    TRY(clSetKernelArg(kernel, 1, sizeof n, &n))
    TRY(clSetKernelArg(kernel, 2, sizeof hops, &hops))
    size_t local = 64, global = (n + 63) / 64 * 64;
    TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL))
    TRY(clEnqueueReadBuffer(queue, d_items, CL_TRUE, 0, n * sizeof *items, items, 0, NULL, NULL))

    int wrong = 0;
    unsigned hash = 0;
    for (int i = 0; i < n; i++) {
        unsigned total = 0;
        for (int h = 0, at = i; h < hops; h++, at = items[at].next)
            total = total * 3u + items[at].weight;
        wrong += items[i].total != total || items[i].id != i || items[i].next != (i * 17 + 3) % n;
        hash = (hash ^ items[i].total ^ items[i].weight << 7 ^ items[i].id << 13 ^ items[i].next) * 16777619u;
    }
    printf("%d items, hash %08x\n%s\n", n, hash, wrong ? "FAILED" : "PASSED");

    clReleaseMemObject(d_items);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(items);
    return wrong != 0;
}
