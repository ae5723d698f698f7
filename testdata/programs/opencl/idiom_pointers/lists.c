#define CL_TARGET_OPENCL_VERSION 120
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <stdio.h>
#include <stdlib.h>

typedef struct Node {
    int value;
    int length;
    float weight;
    float total;
} Node;

int main(int argc, char *argv[])
{
    int status = 1, n = 800, i, k, wrong = 0;
    double sums[4] = {0, 0, 0, 0};
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cl_program program = NULL;
    cl_kernel start = NULL, run = NULL;
    cl_mem d_nodes = NULL, d_lengths = NULL;
    Node *nodes = NULL;
    int *lengths = NULL;
    char *text = NULL;
    size_t global, size;
    FILE *file;

    if (argc > 1)
        n = atoi(argv[1]);
    if (n < 1) {
        printf("no nodes\nPASSED\n");
        return 0;
    }

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        fprintf(stderr, "no device\n");
        goto done;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (err)
        goto done;
    queue = clCreateCommandQueue(context, device, 0, &err);
    if (err)
        goto done;
    file = fopen("lists.cl", "r");
    if (file == NULL)
        goto done;
    text = (char *)calloc(1, 65536);
    size = fread(text, 1, 65535, file);
    fclose(file);
    program = clCreateProgramWithSource(context, 1, (const char **)&text, &size, &err);
    if (err || clBuildProgram(program, 1, &device, "", NULL, NULL))
        goto done;
    start = clCreateKernel(program, "start", &err);
    if (err)
        goto done;
    run = clCreateKernel(program, "run", &err);
    if (err)
        goto done;

    nodes = (Node *)malloc(n * sizeof(Node));
    lengths = (int *)malloc(n * sizeof(int));
    for (i = 0; i < n; i++)
        lengths[i] = i * 7 % 12;
    d_nodes = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(Node), NULL, &err);
    if (err)
        goto done;
    d_lengths = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(int), lengths, &err);
    if (err)
        goto done;
    global = n;
    clSetKernelArg(start, 0, sizeof(cl_mem), &d_nodes);
    clSetKernelArg(start, 1, sizeof(cl_mem), &d_lengths);
    clSetKernelArg(start, 2, sizeof(int), &n);
    clSetKernelArg(run, 0, sizeof(cl_mem), &d_nodes);
    clSetKernelArg(run, 1, sizeof(int), &n);
    if (clEnqueueNDRangeKernel(queue, start, 1, NULL, &global, NULL, 0, NULL, NULL))
        goto done;
    if (clEnqueueNDRangeKernel(queue, run, 1, NULL, &global, NULL, 0, NULL, NULL))
        goto done;
    if (clEnqueueReadBuffer(queue, d_nodes, CL_TRUE, 0, n * sizeof(Node), nodes, 0, NULL, NULL))
        goto done;

    for (i = 0; i < n; i++) {
        float total = 0.0f;
        for (k = i; k < i + lengths[i] && k < n; k++)
            total += 1.0f * (k % 8) * 0.5f + (i + 1);
        total += 1.0f * (i % 8);
        if (i > 0)
            total += i;
        wrong += nodes[i].value != i + 1 || nodes[i].length != lengths[i] || nodes[i].weight != 1.0f * (i % 8) || nodes[i].total != total;
        sums[0] += (i % 3 + 1) * nodes[i].value;
        sums[1] += (i % 5 + 1) * nodes[i].length;
        sums[2] += (i % 7 + 1) * nodes[i].weight;
        sums[3] += (i % 9 + 1) * nodes[i].total;
    }
    printf("%d nodes: %.1f %.1f %.1f %.1f\n%s\n", n, sums[0], sums[1], sums[2], sums[3], wrong ? "FAILED" : "PASSED");
    status = wrong != 0;

done:
    if (d_nodes)
        clReleaseMemObject(d_nodes);
    if (d_lengths)
        clReleaseMemObject(d_lengths);
    if (start)
        clReleaseKernel(start);
    if (run)
        clReleaseKernel(run);
    if (program)
        clReleaseProgram(program);
    if (queue)
        clReleaseCommandQueue(queue);
    if (context)
        clReleaseContext(context);
    free(nodes);
    free(lengths);
    free(text);
    return status;
}
