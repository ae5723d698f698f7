/* Fills with a whole record and with zeros, copies from buffer to buffer, whole and in part. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    cl_uint kind;
    cl_int count;
    cl_float low;
    cl_float high;
} token_t;

static void fail(const char *what, int line)
{
    fprintf(stderr, "%s in line %d\n", what, line);
    exit(1);
}
#define MUST(x) if ((x) != CL_SUCCESS) fail(#x, __LINE__)

static const char *read_text(const char *name)
{
    static char text[1 << 14];
    FILE *f = fopen(name, "r");
    if (!f)
        fail(name, __LINE__);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    cl_uint n = argc > 1 ? (cl_uint)atoi(argv[1]) : 901;
    if (n == 0) {
        puts("nothing to do\nPASSED");
        return 0;
    }
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    MUST(clGetPlatformIDs(1, &platform, NULL));
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context ctx = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    MUST(err);
    cl_command_queue queue = clCreateCommandQueue(ctx, device, 0, &err);
    MUST(err);
    const char *text = read_text("tokens.cl");
    cl_program program = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    MUST(err);
    MUST(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL));
    cl_kernel scatter = clCreateKernel(program, "scatter", &err);
    MUST(err);
    cl_kernel merge = clCreateKernel(program, "merge", &err);
    MUST(err);

    cl_uint *kinds = malloc(n * sizeof(cl_uint));
    for (cl_uint i = 0; i < n; i++)
        kinds[i] = i * 7919u % 1000u;

    size_t size = n * sizeof(token_t);
    cl_mem tokens = clCreateBuffer(ctx, CL_MEM_READ_WRITE, size, NULL, &err);
    MUST(err);
    cl_mem backup = clCreateBuffer(ctx, CL_MEM_READ_WRITE, size, NULL, &err);
    MUST(err);
    cl_mem d_kinds = clCreateBuffer(ctx, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(cl_uint), kinds, &err);
    MUST(err);

    token_t fresh = {77u, 0, 500.0f, 500.0f};
    cl_uchar zero = 0;
    MUST(clEnqueueFillBuffer(queue, tokens, &fresh, sizeof(fresh), 0, size, 0, NULL, NULL));
    MUST(clEnqueueFillBuffer(queue, backup, &zero, sizeof(zero), 0, size, 0, NULL, NULL));

    size_t global = n, first = n / 2;
    MUST(clSetKernelArg(scatter, 0, sizeof(cl_mem), &tokens));
    MUST(clSetKernelArg(scatter, 1, sizeof(cl_mem), &d_kinds));
    MUST(clSetKernelArg(scatter, 2, sizeof(cl_uint), &n));
    MUST(clEnqueueNDRangeKernel(queue, scatter, 1, NULL, &global, NULL, 0, NULL, NULL));
    /* the back half stays zero in the copy */
    if (first > 0)
        MUST(clEnqueueCopyBuffer(queue, tokens, backup, 0, 0, first * sizeof(token_t), 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, scatter, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clSetKernelArg(merge, 0, sizeof(cl_mem), &tokens));
    MUST(clSetKernelArg(merge, 1, sizeof(cl_mem), &backup));
    MUST(clSetKernelArg(merge, 2, sizeof(cl_uint), &n));
    MUST(clEnqueueNDRangeKernel(queue, merge, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueCopyBuffer(queue, tokens, backup, 0, 0, size, 0, NULL, NULL));
    /* the first token once more, behind the middle */
    MUST(clEnqueueCopyBuffer(queue, tokens, backup, 0, first * sizeof(token_t), sizeof(token_t), 0, NULL, NULL));

    token_t *got = malloc(size);
    MUST(clEnqueueReadBuffer(queue, backup, CL_TRUE, 0, size, got, 0, NULL, NULL));

    token_t *want = malloc(size);
    for (cl_uint t = 0; t < n; t++) {
        cl_uint i = n - 1 - t;
        float kind = (float)kinds[i];
        want[t].kind = kinds[i];
        want[t].count = 2 * (1 + i % 3) + (t < first ? 1 + i % 3 : 0);
        want[t].low = kind < 500.0f ? kind : 500.0f;
        want[t].high = kind > 500.0f ? kind : 500.0f;
        if (t >= first && want[t].low > 0.0f)
            want[t].low = 0.0f;
    }
    want[first] = want[0];
    int wrong = 0;
    unsigned hash = 1;
    for (cl_uint t = 0; t < n; t++) {
        wrong += got[t].kind != want[t].kind || got[t].count != want[t].count || got[t].low != want[t].low ||
                 got[t].high != want[t].high;
        hash = hash * 31 + got[t].kind + 3 * got[t].count + 5 * (unsigned)got[t].low + 7 * (unsigned)got[t].high;
    }
    printf("%u tokens, hash %08x\n%s\n", n, hash, wrong ? "FAILED" : "PASSED");
    free(got);
    free(want);
    free(kinds);
    clReleaseMemObject(tokens);
    clReleaseMemObject(backup);
    clReleaseMemObject(d_kinds);
    clReleaseKernel(scatter);
    clReleaseKernel(merge);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(ctx);
    return wrong != 0;
}
