/* Heat conduction in a box: two buffers change places after each step, one plane is read and another one
   written in between, and a third buffer holds a copy. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, err);
        exit(1);
    }
}

static char *contents(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;
    char *text;
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = (char *)malloc((size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) exit(1);
    text[size] = '\0';
    fclose(file);
    return text;
}

static void reference(float *t, float *out, int nx, int ny, int nz, float rate)
{
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                const size_t c = ((size_t)z * ny + y) * nx + x;
                const int is_wall = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
                if (is_wall)
                    out[c] = t[c];
                else
                    out[c] = t[c] + rate * (t[c - 1] + t[c + 1] + t[c - nx] + t[c + nx]
                                            + t[c - (size_t)nx * ny] + t[c + (size_t)nx * ny] - 6.0f * t[c]);
            }
    memcpy(t, out, (size_t)nx * ny * nz * sizeof(float));
}

static void set_int(cl_kernel kernel, cl_uint index, const int *value)
{
    must(clSetKernelArg(kernel, index, sizeof(int), value), "an integer");
}

/* A plane of the host to or from the device. */
static void plane(cl_command_queue queue, cl_mem grid, int writes, size_t at, size_t cells, float *host)
{
    const size_t offset = at * cells * sizeof(float), bytes = cells * sizeof(float);
    if (writes)
        must(clEnqueueWriteBuffer(queue, grid, CL_TRUE, offset, bytes, host, 0, NULL, NULL), "write a plane");
    else
        must(clEnqueueReadBuffer(queue, grid, CL_TRUE, offset, bytes, host, 0, NULL, NULL), "read a plane");
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 37;
    int ny = argc > 2 ? atoi(argv[2]) : 11;
    int nz = argc > 3 ? atoi(argv[3]) : 6;
    int steps = argc > 4 ? atoi(argv[4]) : 5;
    float rate = 0.1f, by = 0.25f, zero = 0.0f;
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    if (nx < 1 || ny < 1 || nz < 1) {
        printf("no box\nPASSED\n");
        return 0;
    }
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    must(err, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    must(err, "queue");
    char *text = contents("heat.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    must(err, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel conduct = clCreateKernel(program, "conduct", &err);
    must(err, "step");
    cl_kernel warm = clCreateKernel(program, "warm", &err);
    must(err, "warm");
    cl_kernel means = clCreateKernel(program, "means", &err);
    must(err, "means");

    const size_t cells = (size_t)nx * ny, bytes = cells * nz * sizeof(float);
    float *t = (float *)malloc(bytes), *expected = (float *)malloc(bytes), *scratch = (float *)malloc(bytes);
    float *row = (float *)malloc(cells * sizeof(float));
    double *mean = (double *)malloc(nz * sizeof(double));
    for (size_t i = 0; i < cells * nz; i++) t[i] = (float)(i * 37 % 101) * 0.5f;
    memcpy(expected, t, bytes);

    cl_mem d_old = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, t, &err);
    must(err, "old");
    cl_mem d_new = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    must(err, "new");
    cl_mem d_copy = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    must(err, "copy");
    cl_mem d_mean = clCreateBuffer(context, CL_MEM_WRITE_ONLY, nz * sizeof(double), NULL, &err);
    must(err, "mean");
    must(clEnqueueFillBuffer(queue, d_copy, &zero, sizeof zero, 0, bytes, 0, NULL, NULL), "fill");

    set_int(conduct, 2, &nx);
    set_int(conduct, 3, &ny);
    set_int(conduct, 4, &nz);
    must(clSetKernelArg(conduct, 5, sizeof(float), &rate), "rate");
    const size_t group[3] = {8, 4, 1};
    const size_t all[3] = {(size_t)(nx + 7) / 8 * 8, (size_t)(ny + 3) / 4 * 4, (size_t)nz};
    for (int s = 0; s < steps; s++) {
        must(clSetKernelArg(conduct, 0, sizeof(cl_mem), &d_old), "told");
        must(clSetKernelArg(conduct, 1, sizeof(cl_mem), &d_new), "tnew");
        must(clEnqueueNDRangeKernel(queue, conduct, 3, NULL, all, group, 0, NULL, NULL), "step");
        cl_mem other = d_old;
        d_old = d_new;
        d_new = other;
        reference(expected, scratch, nx, ny, nz, rate);
    }

    /* The second plane from below gets warmer, on the device and then on the host. */
    int z = nz > 1 ? 1 : 0;
    const size_t exact[2] = {nx, ny};
    must(clSetKernelArg(warm, 0, sizeof(cl_mem), &d_old), "t");
    set_int(warm, 1, &nx);
    set_int(warm, 2, &ny);
    set_int(warm, 3, &z);
    must(clSetKernelArg(warm, 4, sizeof(float), &by), "by");
    must(clEnqueueNDRangeKernel(queue, warm, 2, NULL, exact, NULL, 0, NULL, NULL), "warm");
    plane(queue, d_old, 0, z, cells, row);
    for (size_t i = 0; i < cells; i++) {
        expected[z * cells + i] += by * (float)((i % nx + 2 * (i / nx)) % 5);
        row[i] += 1.0f;
        expected[z * cells + i] += 1.0f;
    }
    plane(queue, d_old, 1, z, cells, row);
    /* A part of a row, then all but the first value. */
    const size_t some = nx > 3 ? 3 : 1;
    must(clEnqueueWriteBuffer(queue, d_old, CL_TRUE, (cells - some) * sizeof(float), some * sizeof(float), expected,
                              0, NULL, NULL), "write a part");
    memmove(expected + cells - some, expected, some * sizeof(float));
    must(clEnqueueCopyBuffer(queue, d_old, d_copy, 0, 0, bytes, 0, NULL, NULL), "copy");
    if (cells * nz > 1)
        must(clEnqueueCopyBuffer(queue, d_old, d_new, 0, sizeof(float), bytes - sizeof(float), 0, NULL, NULL), "move");

    must(clSetKernelArg(means, 0, sizeof(cl_mem), &d_copy), "t");
    must(clSetKernelArg(means, 1, sizeof(cl_mem), &d_mean), "mean");
    set_int(means, 2, &nx);
    set_int(means, 3, &ny);
    set_int(means, 4, &nz);
    size_t planes = (size_t)(nz + 3) / 4 * 4;
    must(clEnqueueNDRangeKernel(queue, means, 1, NULL, &planes, NULL, 0, NULL, NULL), "means");
    must(clEnqueueReadBuffer(queue, d_mean, CL_TRUE, 0, nz * sizeof(double), mean, 0, NULL, NULL), "read means");
    must(clEnqueueReadBuffer(queue, d_copy, CL_TRUE, 0, bytes, t, 0, NULL, NULL), "read");

    int wrong = 0;
    double sum = 0.0, moved = 0.0, of_means = 0.0;
    for (size_t i = 0; i < cells * nz; i++) {
        wrong += !(fabsf(t[i] - expected[i]) <= 1e-3f);
        sum += (i % 7 + 1) * (double)t[i];
    }
    for (int k = 0; k < nz; k++) of_means += (k + 1) * mean[k];
    if (cells * nz > 1) {
        must(clEnqueueReadBuffer(queue, d_new, CL_FALSE, sizeof(float), bytes - sizeof(float), scratch, 0, NULL, NULL),
             "read moved");
        must(clFinish(queue), "finish");
        for (size_t i = 0; i + 1 < cells * nz; i++) {
            wrong += scratch[i] != t[i];
            moved += (i % 3) * (double)scratch[i];
        }
    }
    cl_int outside = clEnqueueReadBuffer(queue, d_copy, CL_TRUE, sizeof(float), bytes, t, 0, NULL, NULL);
    printf("%d x %d x %d: sum %.9e moved %.9e means %.9e outside %d\n", nx, ny, nz, sum, moved, of_means, outside);
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(d_old);
    clReleaseMemObject(d_new);
    clReleaseMemObject(d_copy);
    clReleaseMemObject(d_mean);
    clReleaseKernel(conduct);
    clReleaseKernel(warm);
    clReleaseKernel(means);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
