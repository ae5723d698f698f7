/* Types, sizes and accesses by macros, on both sides. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"

#define REAL float
#define GROUP 32

typedef struct {
    REAL part[N_MEMBERS];
    REAL total;
    int rank;
} MIX_T;

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__)

#define CL_CALL(f, ...)                                                             \
    do {                                                                            \
        cl_int rc_ = f(__VA_ARGS__);                                                \
        if (rc_ != CL_SUCCESS) { fprintf(stderr, #f ": %d\n", rc_); return 1; }     \
    } while (0)

#define SET_ARG(kernel, index, value) CL_CALL(clSetKernelArg, kernel, index, sizeof(value), &(value))
#define MALLOC_ARRAY(p, type, n) ((p) = (type *)malloc((n) * sizeof(type)))
#define ALLOC_DEVICE(type, n) clCreateBuffer(context, CL_MEM_READ_WRITE, (n) * sizeof(type), NULL, &rc)
#define WRITE(q, d, h, n) CL_CALL(clEnqueueWriteBuffer, q, d, CL_TRUE, 0, (n) * sizeof(*(h)), h, 0, NULL, NULL)
#define READ(q, d, h, n) CL_CALL(clEnqueueReadBuffer, q, d, CL_TRUE, 0, (n) * sizeof(*(h)), h, 0, NULL, NULL)
#define KERNEL(name) cl_kernel name = clCreateKernel(program, #name, &rc)
#define LAUNCH(q, k, n) { size_t g_ = ROUND_UP(n, GROUP), l_ = GROUP; CL_CALL(clEnqueueNDRangeKernel, q, k, 1, NULL, &g_, &l_, 0, NULL, NULL); }

static void check(cl_int rc, const char *call)
{
    if (rc != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", call, rc);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 401, wrong = 0;
    cl_int rc;
    cl_platform_id platform;
    cl_device_id device;
    MIX_T *h_mixes, *want;
    char options[128], text[8192] = "";
    const char *source = text;
    FILE *file;

    if (n < 1) {
        printf("nothing to mix\nPASSED\n");
        return 0;
    }
    CL_CALL(clGetPlatformIDs, 1, &platform, NULL);
    CL_CALL(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &rc);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &rc);
    file = fopen("mix.cl", "r");
    if (file == NULL || fread(text, 1, sizeof(text) - 1, file) == 0)
        return 1;
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &rc);
    sprintf(options, "-I. -DREAL=float -DGROUP=%d -D WEIGHT=0.5", GROUP);
    CL_CALL(clBuildProgram, program, 1, &device, options, NULL, NULL);
    KERNEL(add_up);
    KERNEL(reorder);
    KERNEL(rank_all);

    MALLOC_ARRAY(h_mixes, MIX_T, n);
    MALLOC_ARRAY(want, MIX_T, n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < N_MEMBERS; k++)
            h_mixes[i].part[k] = (REAL)((i * (k + 2) * 29) % 64);
        h_mixes[i].total = -1;
        h_mixes[i].rank = -1;
        want[i] = h_mixes[i];
    }
    cl_mem d_mixes = ALLOC_DEVICE(MIX_T, n);
    WRITE(queue, d_mixes, h_mixes, n);
    SET_ARG(add_up, 0, d_mixes);
    SET_ARG(add_up, 1, n);
    SET_ARG(reorder, 0, d_mixes);
    SET_ARG(reorder, 1, n);
    int arg = 0;
    CHECK(clSetKernelArg(rank_all, arg++, sizeof(cl_mem), &d_mixes));
    CHECK(clSetKernelArg(rank_all, arg++, sizeof(int), &n));
    LAUNCH(queue, add_up, n)
    LAUNCH(queue, reorder, n)
    LAUNCH(queue, rank_all, n)
    READ(queue, d_mixes, h_mixes, n);

    double parts = 0, totals = 0;
    long ranks = 0;
    for (int i = 0; i < n; i++) {
        MIX_T *w = &want[i];
        w->total = 0.5f * (w->part[0] + w->part[1] + w->part[2]);
        if (w->part[0] > w->part[2]) {
            REAL t = w->part[0];
            w->part[0] = w->part[2];
            w->part[2] = t;
        }
    }
    for (int i = 0; i < n; i++) {
        int rank = 0;
        for (int j = 0; j < n; j++)
            rank += want[j].total < want[i].total || (want[j].total == want[i].total && j < i);
        wrong += h_mixes[i].total != want[i].total || h_mixes[i].rank != rank;
        for (int k = 0; k < N_MEMBERS; k++) {
            wrong += h_mixes[i].part[k] != want[i].part[k];
            parts += (i % 5 + k) * h_mixes[i].part[k];
        }
        totals += (i % 7 + 1) * h_mixes[i].total;
        ranks += (i % 3 + 1) * h_mixes[i].rank;
    }
    printf("%d mixes: parts %.1f totals %.1f ranks %ld\n%s\n", n, parts, totals, ranks, wrong ? "FAILED" : "PASSED");

    clReleaseMemObject(d_mixes);
    clReleaseKernel(add_up);
    clReleaseKernel(reorder);
    clReleaseKernel(rank_all);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(h_mixes);
    free(want);
    return wrong != 0;
}
