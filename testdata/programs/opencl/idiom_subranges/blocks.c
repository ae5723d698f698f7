/* Samples go to the device and come back block by block; kernels start at an offset. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"

#define BLOCK 100
#define GROUPS 5
#define CHECK(what) check((what), #what, __LINE__)

static void check(cl_int status, const char *what, int line)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%d: %s gives %d\n", line, what, status);
        exit(1);
    }
}

static cl_program build(cl_context context, cl_device_id device, const char *name, const char *options)
{
    cl_int err;
    FILE *file = fopen(name, "r");
    if (file == NULL)
        exit(1);
    fseek(file, 0L, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(size + 1, 1);
    if (fread(text, 1, size, file) != size)
        exit(1);
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, &size, &err);
    CHECK(err);
    CHECK(clBuildProgram(program, 1, &device, options, NULL, NULL));
    free(text);
    return program;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1234;
    if (n < 1) {
        printf("no samples\nPASSED\n");
        return 0;
    }
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    CHECK(err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    CHECK(err);
    cl_program program = build(context, device, "blocks.cl", "-I .");
    cl_kernel scale = clCreateKernel(program, "scale", &err);
    CHECK(err);
    cl_kernel smooth = clCreateKernel(program, "smooth", &err);
    CHECK(err);

    float factors[GROUPS];
    for (int g = 0; g < GROUPS; g++)
        factors[g] = 1.0f + 0.25f * g;
    sample *samples = malloc(n * sizeof(sample));
    for (int i = 0; i < n; i++) {
        samples[i].group = i * 3 % GROUPS;
        samples[i].value = (float)(i % 97) - 48.0f;
        samples[i].scaled = -1.0f;
    }
    float *out = malloc(n * sizeof(float));

    cl_mem d_samples = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(sample), NULL, &err);
    CHECK(err);
    cl_mem d_out = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &err);
    CHECK(err);
    cl_mem d_factors = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(factors), factors, &err);
    CHECK(err);
    CHECK(clSetKernelArg(scale, 0, sizeof(cl_mem), &d_samples));
    CHECK(clSetKernelArg(scale, 1, sizeof(cl_mem), &d_factors));
    CHECK(clSetKernelArg(smooth, 0, sizeof(cl_mem), &d_samples));
    CHECK(clSetKernelArg(smooth, 1, sizeof(cl_mem), &d_out));

    for (int first = 0; first < n; first += BLOCK) {
        const int count = n - first < BLOCK ? n - first : BLOCK;
        const size_t offset = first, items = count;
        CHECK(clEnqueueWriteBuffer(queue, d_samples, CL_TRUE, first * sizeof(sample), count * sizeof(sample),
                                   samples + first, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(queue, scale, 1, &offset, &items, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(queue, smooth, 1, &offset, &items, NULL, 0, NULL, NULL));
    }
    /* the last block first */
    for (int first = (n - 1) / BLOCK * BLOCK; first >= 0; first -= BLOCK) {
        const int count = n - first < BLOCK ? n - first : BLOCK;
        CHECK(clEnqueueReadBuffer(queue, d_samples, CL_TRUE, sizeof(sample) * first, sizeof(sample) * count,
                                  &samples[first], 0, NULL, NULL));
    }
    CHECK(clEnqueueReadBuffer(queue, d_out, CL_TRUE, 0, n * sizeof(float), out, 0, NULL, NULL));

    int wrong = 0;
    double values = 0, scaled = 0, smoothed = 0;
    for (int i = 0; i < n; i++) {
        const int before = i % BLOCK == 0 ? i : i - 1;
        float v = (float)(i % 97) - 48.0f, b = (float)(before % 97) - 48.0f;
        float s = v * factors[i * 3 % GROUPS];
        wrong += samples[i].group != i * 3 % GROUPS || samples[i].value != v || samples[i].scaled != s ||
                 out[i] != 0.5f * (b * factors[before * 3 % GROUPS] + s);
        values += (i % 3 + 1) * samples[i].value + samples[i].group;
        scaled += (i % 5 + 1) * samples[i].scaled;
        smoothed += (i % 7 + 1) * out[i];
    }
    printf("%d samples: %.4f %.4f %.4f\n%s\n", n, values, scaled, smoothed, wrong ? "FAILED" : "PASSED");

    clReleaseMemObject(d_samples);
    clReleaseMemObject(d_out);
    clReleaseMemObject(d_factors);
    clReleaseKernel(scale);
    clReleaseKernel(smooth);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(samples);
    free(out);
    return wrong ? 1 : 0;
}
