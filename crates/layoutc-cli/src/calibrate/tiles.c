/* Times loops over elements in several layouts. Written by `layoutc calibrate tiles`.
 *
 * cc -O2 tiles.c -o tiles -lOpenCL
 * tiles KERNEL.cl DEVICE TRIPS FIELDS BYTES TILES THREADS ELEMENTS REPEATS
 * DEVICE is a part of a device's name, or empty; TRIPS, FIELDS, BYTES and TILES are lists with commas.
 * Prints the seconds of the fastest of REPEATS runs as CSV. Exit codes: 3 no device, 4 wrong sums, 1 other errors. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, NAME = 256, GROUP = 64 };

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)error);
        exit(1);
    }
}

static size_t list(const char *text, size_t *values)
{
    size_t count = 0;
    while (*text && count < MOST) {
        char *end;
        values[count++] = strtoull(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
        if (end == text && *end)
            break;
    }
    return count;
}

static cl_device_id find(const char *wanted, char *name)
{
    cl_platform_id platforms[MOST];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(MOST, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < MOST; p++) {
        cl_device_id devices[MOST];
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &device_count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < device_count && d < MOST; d++) {
            check(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, NAME, name, NULL), "clGetDeviceInfo");
            if (strstr(name, wanted))
                return devices[d];
        }
    }
    return NULL;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* 0: an array for each field, 1: an array of structs, otherwise tiles. */
static size_t place(size_t layout, size_t elements, size_t fields, size_t element, size_t field)
{
    if (layout == 0)
        return field * elements + element;
    if (layout == 1)
        return element * fields + field;
    return element / layout * layout * fields + field * layout + element % layout;
}

static uint64_t value(size_t element, size_t field)
{
    return (element * 2654435761u + field * 40503u) & 0xffff;
}

struct run {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    const char *source;
    size_t threads, elements, repeats;
};

/* The sums of the first and the last thread must be those that the host computes. */
static void verify(const struct run *run, const void *sums, size_t bytes, size_t trips, size_t fields)
{
    size_t ids[2] = {0, run->threads - 1};
    for (int at = 0; at < 2; at++) {
        uint64_t expected = 0, found = 0;
        for (size_t trip = 0; trip < trips; trip++) {
            size_t element = (uint32_t)(ids[at] + trip * run->threads) & (run->elements - 1);
            for (size_t field = 0; field < fields; field++)
                expected += value(element, field) * (field + 1);
        }
        if (bytes == 4)
            expected = (uint32_t)expected;
        memcpy(&found, (const char *)sums + ids[at] * bytes, bytes);
        if (found != expected) {
            fprintf(stderr, "thread %zu has a wrong sum\n", ids[at]);
            exit(4);
        }
    }
}

static void measure(const struct run *run, cl_mem data, cl_mem sums, void *host, size_t bytes, size_t fields,
                    size_t layout, size_t trips)
{
    char options[NAME];
    cl_int error;
    cl_program program = clCreateProgramWithSource(run->context, 1, (const char **)&run->source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    snprintf(options, sizeof options, "-DTRIPS=%zu -DFIELDS=%zu -DELEMENTS=%zu -DVALUE=%s -DLAYOUT=%zu", trips, fields,
             run->elements, bytes == 4 ? "uint" : "ulong", layout);
    check(clBuildProgram(program, 1, &run->device, options, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "accumulate", &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof sums, &sums), "clSetKernelArg");
    double best = 0;
    size_t group = run->threads < GROUP ? run->threads : GROUP;
    /* The first run warms up. */
    for (size_t repeat = 0; repeat <= run->repeats; repeat++) {
        cl_event event;
        cl_ulong start, end;
        check(clEnqueueNDRangeKernel(run->queue, kernel, 1, NULL, &run->threads, &group, 0, NULL, &event), "launch");
        check(clWaitForEvents(1, &event), "clWaitForEvents");
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "profiling");
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "profiling");
        clReleaseEvent(event);
        double seconds = (double)(end - start) * 1e-9;
        if (repeat == 1 || (repeat > 1 && seconds < best))
            best = seconds;
    }
    check(clEnqueueReadBuffer(run->queue, sums, CL_TRUE, 0, run->threads * bytes, host, 0, NULL, NULL), "read");
    verify(run, host, bytes, trips, fields);
    if (layout < 2)
        printf("%zu,%zu,%zu,%s,%.9f\n", trips, fields, bytes, layout == 0 ? "soa" : "aos", best);
    else
        printf("%zu,%zu,%zu,tiled(%zu),%.9f\n", trips, fields, bytes, layout, best);
    fflush(stdout);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void measure_layout(const struct run *run, size_t bytes, size_t fields, size_t layout, const size_t *trips,
                           size_t trip_count)
{
    cl_int error;
    size_t values = run->elements * fields, size = values * bytes;
    char *host = malloc(size > run->threads * bytes ? size : run->threads * bytes);
    if (!host) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(1);
    }
    for (size_t element = 0; element < run->elements; element++) {
        for (size_t field = 0; field < fields; field++) {
            uint64_t own = value(element, field);
            memcpy(host + place(layout, run->elements, fields, element, field) * bytes, &own, bytes);
        }
    }
    cl_mem data = clCreateBuffer(run->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size, host, &error);
    check(error, "clCreateBuffer");
    cl_mem sums = clCreateBuffer(run->context, CL_MEM_WRITE_ONLY, run->threads * bytes, NULL, &error);
    check(error, "clCreateBuffer");
    for (size_t at = 0; at < trip_count; at++)
        measure(run, data, sums, host, bytes, fields, layout, trips[at]);
    clReleaseMemObject(data);
    clReleaseMemObject(sums);
    free(host);
}

int main(int count, char **arguments)
{
    size_t trips[MOST], fields[MOST], bytes[MOST], layouts[MOST + 2] = {0, 1};
    char name[NAME] = "";
    struct run run;
    cl_int error;
    if (count != 10) {
        fprintf(stderr, "usage: tiles KERNEL.cl DEVICE TRIPS FIELDS BYTES TILES THREADS ELEMENTS REPEATS\n");
        return 1;
    }
    size_t trip_count = list(arguments[3], trips), field_count = list(arguments[4], fields);
    size_t byte_count = list(arguments[5], bytes), layout_count = 2 + list(arguments[6], layouts + 2);
    run.threads = strtoull(arguments[7], NULL, 10);
    run.elements = strtoull(arguments[8], NULL, 10);
    run.repeats = strtoull(arguments[9], NULL, 10);
    run.source = read_text(arguments[1]);
    run.device = find(arguments[2], name);
    if (!run.device) {
        fprintf(stderr, "no OpenCL device%s%s\n", *arguments[2] ? " named " : "", arguments[2]);
        return 3;
    }
    run.context = clCreateContext(NULL, 1, &run.device, NULL, NULL, &error);
    check(error, "clCreateContext");
    run.queue = clCreateCommandQueue(run.context, run.device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    printf("# device: %s\ntrips,fields,field_bytes,layout,seconds\n", name);
    for (size_t b = 0; b < byte_count; b++)
        for (size_t f = 0; f < field_count; f++)
            for (size_t l = 0; l < layout_count; l++)
                measure_layout(&run, bytes[b], fields[f], layouts[l], trips, trip_count);
    return 0;
}
