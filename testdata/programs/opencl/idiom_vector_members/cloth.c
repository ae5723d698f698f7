#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    cl_float3 place;
    cl_float2 texture;
    cl_int4 bounds;
    cl_uchar4 colour;
    cl_float2 span;
} Vertex;

#define CHECK(err)                                         \
    if (err != CL_SUCCESS) {                               \
        fprintf(stderr, "error %d, line %d\n", err, __LINE__); \
        exit(1);                                           \
    }

static char *load_kernel(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) { perror(path); exit(1); }
    char *text = calloc(1, 1 << 16);
    size_t got = fread(text, 1, (1 << 16) - 1, f);
    (void)got;
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 420;
    if (n < 1) { printf("no cloth\nPASSED\n"); return 0; }
    const float amount = 0.5f;

    Vertex *v = calloc(n, sizeof(Vertex));
    Vertex *w = calloc(n, sizeof(Vertex));
    cl_float4 *out = calloc(n, sizeof(cl_float4));
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) v[i].place.s[c] = 0.25f * ((i * (c + 3)) % 64);
        v[i].texture.x = (float)(i % 16);
        v[i].texture.y = (float)(i % 9);
        for (int c = 0; c < 4; c++) {
            v[i].bounds.s[c] = (i * 7 + c * 13) % 50 - 25;
            v[i].colour.s[c] = (i * 3 + c * 60) & 255;
        }
        v[i].span.x = (float)i;
        v[i].span.y = (float)(2 * i);
    }
    memcpy(w, v, n * sizeof(Vertex));

    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    err = clGetPlatformIDs(1, &platform, NULL);
    CHECK(err);
    err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    CHECK(err);
    cl_context context = clCreateContext(0, 1, &device, NULL, NULL, &err);
    CHECK(err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    CHECK(err);
    char *text = load_kernel("cloth.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    CHECK(err);
    err = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    CHECK(err);
    cl_kernel bend = clCreateKernel(program, "bend", &err);
    CHECK(err);
    cl_kernel measure = clCreateKernel(program, "measure", &err);
    CHECK(err);

    cl_mem d_v = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(Vertex) * n, NULL, &err);
    CHECK(err);
    cl_mem d_out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_float4) * n, NULL, &err);
    CHECK(err);
    err = clEnqueueWriteBuffer(queue, d_v, CL_TRUE, 0, sizeof(Vertex) * n, v, 0, NULL, NULL);
    CHECK(err);
    err = clSetKernelArg(bend, 0, sizeof(cl_mem), &d_v);
    err |= clSetKernelArg(bend, 1, sizeof(int), &n);
    err |= clSetKernelArg(bend, 2, sizeof(float), &amount);
    err |= clSetKernelArg(measure, 0, sizeof(cl_mem), &d_v);
    err |= clSetKernelArg(measure, 1, sizeof(int), &n);
    err |= clSetKernelArg(measure, 2, sizeof(cl_mem), &d_out);
    CHECK(err);
    size_t items = n;
    err = clEnqueueNDRangeKernel(queue, bend, 1, NULL, &items, NULL, 0, NULL, NULL);
    CHECK(err);
    err = clEnqueueNDRangeKernel(queue, measure, 1, NULL, &items, NULL, 0, NULL, NULL);
    CHECK(err);
    err = clEnqueueReadBuffer(queue, d_v, CL_TRUE, 0, sizeof(Vertex) * n, v, 0, NULL, NULL);
    CHECK(err);
    err = clEnqueueReadBuffer(queue, d_out, CL_TRUE, 0, sizeof(cl_float4) * n, out, 0, NULL, NULL);
    CHECK(err);

    int wrong = 0;
    double sums[6] = {0};
    for (int i = 0; i < n; i++) {
        Vertex e = w[i];
        e.place.s[0] = w[i].place.s[1] * amount;
        e.place.s[1] = w[i].place.s[0] * amount;
        e.texture.s[0] += 1.0f;
        e.texture.s[1] *= 2.0f;
        for (int c = 0; c < 2; c++)
            if (e.bounds.s[c + 2] < e.bounds.s[c]) e.bounds.s[c] = e.bounds.s[c + 2];
        e.bounds.s[3] = i;
        for (int c = 0; c < 4; c++) e.colour.s[c] = w[i].colour.s[3 - c];
        e.span.s[0] = e.place.s[2];
        e.span.s[1] = -w[i].span.s[0];
        float t[4];
        for (int c = 0; c < 4; c++) {
            t[c] = (c < 3 ? e.place.s[c] : e.span.s[1]) + (float)(e.colour.s[c] + e.bounds.s[c]);
            t[c] += e.texture.s[c & 1] < e.texture.s[~c & 1] ? -1.0f : 1.0f;
        }
        for (int c = 0; c < 3; c++) {
            wrong += v[i].place.s[c] != e.place.s[c];
            sums[0] += (i % 4 + c) * v[i].place.s[c];
        }
        for (int c = 0; c < 2; c++) {
            wrong += v[i].texture.s[c] != e.texture.s[c] || v[i].span.s[c] != e.span.s[c];
            sums[1] += (i % 5 + c) * v[i].texture.s[c];
            sums[2] += (i % 6 + c) * v[i].span.s[c];
        }
        for (int c = 0; c < 4; c++) {
            float o = (c & 1 ? t[2] : t[0]) + (c & 1 ? t[1] : t[3]);
            wrong += v[i].bounds.s[c] != e.bounds.s[c] || v[i].colour.s[c] != e.colour.s[c] || out[i].s[c] != o;
            sums[3] += (i % 3 + c) * v[i].bounds.s[c];
            sums[4] += (i % 7 + c) * v[i].colour.s[c];
            sums[5] += (i % 2 + c) * out[i].s[c];
        }
    }
    printf("%d vertices: %.3f %.3f %.3f %.3f %.3f %.3f\n", n, sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(d_v);
    clReleaseMemObject(d_out);
    clReleaseKernel(bend);
    clReleaseKernel(measure);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(v); free(w); free(out); free(text);
    return wrong != 0;
}
