/* Constants of kernels by options with short names, made when the program runs. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct body {
    float place[2];
    float speed;
    float mass;
};

int main(int argc, char **argv)
{
    const cl_int n = argc > 1 ? atoi(argv[1]) : 200;
    const size_t bytes = n * sizeof(struct body), items = n;
    const char *names[] = {"e", "i", "units", "a0"};
    char options[200] = "-cl-std=CL1.2", text[4096];
    for (int k = 0; k < 4; k++)
        sprintf(options + strlen(options), " -D%s=%d", names[k], k + 2);
    FILE *file = fopen("orbit.cl", "r");
    if (!file) {
        printf("no orbit.cl\n");
        return 1;
    }
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    const char *source = text;
    struct body *in = calloc(n, sizeof(struct body)), *out = calloc(n, sizeof(struct body));
    for (int k = 0; k < n; k++) {
        struct body own = {{k, 2 * k}, k % 9, k % 4};
        in[k] = own;
    }
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, &length, NULL);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        printf("the kernels are not built\n");
        return 1;
    }
    cl_kernel drift = clCreateKernel(program, "drift", NULL), turn = clCreateKernel(program, "turn", NULL);
    cl_mem bodies = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    clEnqueueWriteBuffer(queue, bodies, CL_TRUE, 0, bytes, in, 0, NULL, NULL);
    clSetKernelArg(drift, 0, sizeof(cl_mem), &bodies);
    clSetKernelArg(drift, 1, sizeof(cl_int), &n);
    clSetKernelArg(turn, 0, sizeof(cl_mem), &bodies);
    clSetKernelArg(turn, 1, sizeof(cl_int), &n);
    clEnqueueNDRangeKernel(queue, drift, 1, NULL, &items, NULL, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, turn, 1, NULL, &items, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, bodies, CL_TRUE, 0, bytes, out, 0, NULL, NULL);
    int wrong = 0;
    double sum = 0;
    for (int k = 0; k < n; k++) {
        in[k].place[k % 2] += 2 * in[k].speed;
        wrong += out[k].place[0] != in[k].place[0] || out[k].place[1] != in[k].place[1];
        wrong += out[k].speed != 3 * in[k].speed + 5 || out[k].mass != in[k].mass + 4;
        sum += out[k].place[0] + 2 * out[k].place[1] + 3 * out[k].speed + 5 * out[k].mass;
    }
    printf("%d bodies, sum %.1f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(bodies);
    clReleaseKernel(drift);
    clReleaseKernel(turn);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(in);
    free(out);
    return wrong != 0;
}
