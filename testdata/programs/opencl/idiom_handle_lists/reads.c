/* Buffers in records that lists fill, and arguments that a loop sets. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENSORS 4

typedef struct {
    float value;
    float weight;
    int sensor;
} Sample;

/* a buffer and how long it is */
typedef struct {
    cl_mem memory;
    size_t bytes;
} Held;

typedef struct {
    Held raw, calibrated;
    cl_mem gains;
} Reads;

static void ensure(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, err);
        exit(1);
    }
}

static Held hold(cl_context context, size_t bytes)
{
    cl_int err;
    Held held = {clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err), bytes};
    ensure(err, "buffer");
    return held;
}

static Reads open_reads(cl_context context, int n)
{
    cl_int err;
    cl_mem gains = clCreateBuffer(context, CL_MEM_READ_ONLY, SENSORS * sizeof(float), NULL, &err);
    ensure(err, "gains");
    Held raw = hold(context, n * sizeof(Sample)), calibrated = hold(context, n * sizeof(Sample));
    Reads reads = {{raw.memory, raw.bytes}, {calibrated.memory, calibrated.bytes}, gains};
    return reads;
}

static void upload(cl_command_queue queue, const Held *held, const Sample *samples)
{
    ensure(clEnqueueWriteBuffer(queue, held->memory, CL_TRUE, 0, held->bytes, samples, 0, NULL, NULL), "write");
}

static void download(cl_command_queue queue, const Held *held, Sample *samples)
{
    ensure(clEnqueueReadBuffer(queue, held->memory, CL_TRUE, 0, held->bytes, samples, 0, NULL, NULL), "read");
}

static void reference(Sample *samples, const float *gains, int n, int rounds)
{
    Sample *calibrated = malloc(n * sizeof(Sample));
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            calibrated[i] = samples[i];
            calibrated[i].value *= gains[samples[i].sensor];
        }
        for (int i = 0; i < n; i++) {
            int left = i > 0 ? i - 1 : i, right = i + 1 < n ? i + 1 : i;
            samples[i].value =
                0.25f * calibrated[left].value + 0.5f * calibrated[i].value + 0.25f * calibrated[right].value;
            samples[i].weight = calibrated[i].weight + 1.0f;
        }
    }
    free(calibrated);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 333, wrong = 0;
    const int rounds = 3;
    const float gains[SENSORS] = {0.5f, 1.0f, 2.0f, 1.5f};
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    char text[8192] = "";
    const char *source = text;
    if (n < 1) {
        printf("no samples\nPASSED\n");
        return 0;
    }
    Sample *samples = malloc(n * sizeof(Sample)), *want = malloc(n * sizeof(Sample));
    for (int i = 0; i < n; i++) {
        samples[i].value = 0.5f * (i * 7 % 16);
        samples[i].weight = (float)(i % 3);
        samples[i].sensor = i % SENSORS;
    }
    memcpy(want, samples, n * sizeof(Sample));

    ensure(clGetPlatformIDs(1, &platform, NULL), "platform");
    ensure(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    FILE *file = fopen("reads.cl", "r");
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0)
        return 1;
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    ensure(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
    cl_kernel calibrate = clCreateKernel(program, "calibrate", &err), smooth = clCreateKernel(program, "smooth", &err);

    Reads reads = open_reads(context, n);
    upload(queue, &reads.raw, samples);
    ensure(clEnqueueWriteBuffer(queue, reads.gains, CL_TRUE, 0, sizeof gains, gains, 0, NULL, NULL), "gains");

    /* the first two arguments of both kernels are the arrays, in this order and the other one */
    cl_mem arrays[2] = {reads.raw.memory, reads.calibrated.memory};
    for (int i = 0; i < 2; i++) {
        ensure(clSetKernelArg(calibrate, i, sizeof(cl_mem), &arrays[i]), "calibrate");
        ensure(clSetKernelArg(smooth, i, sizeof(cl_mem), &arrays[1 - i]), "smooth");
    }
    cl_uint next = 2;
    ensure(clSetKernelArg(calibrate, next++, sizeof reads.gains, &reads.gains), "gains");
    ensure(clSetKernelArg(calibrate, next++, sizeof n, &n), "count");
    ensure(clSetKernelArg(smooth, 2, sizeof n, &n), "count");
    const size_t local = 16, global = (n + local - 1) / local * local;
    for (int round = 0; round < rounds; round++) {
        ensure(clEnqueueNDRangeKernel(queue, calibrate, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
        ensure(clEnqueueNDRangeKernel(queue, smooth, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    }
    download(queue, &reads.raw, samples);

    reference(want, gains, n, rounds);
    double values = 0, weights = 0;
    for (int i = 0; i < n; i++) {
        wrong += samples[i].value != want[i].value || samples[i].weight != want[i].weight || samples[i].sensor != i % SENSORS;
        values += (i % 5 + 1) * samples[i].value;
        weights += (i % 7 + 1) * samples[i].weight + samples[i].sensor;
    }
    printf("%d samples: %.5f %.1f\n%s\n", n, values, weights, wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(reads.raw.memory);
    clReleaseMemObject(reads.calibrated.memory);
    clReleaseMemObject(reads.gains);
    clReleaseKernel(calibrate);
    clReleaseKernel(smooth);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(samples);
    free(want);
    return wrong != 0;
}
