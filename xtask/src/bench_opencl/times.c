// Loaded in front of libOpenCL: queues get profiling, each launch is waited for, and at the end of the program the
// launches, the nanoseconds between their starts and ends, and the processor's nanoseconds that this process used
// meanwhile are written to the file that LAYOUTC_CL_TIMES names.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long long launches, nanoseconds, processor;

static void *next_function(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "times: no %s\n", name);
        abort();
    }
    return found;
}

static unsigned long long processor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int *error)
{
    typedef cl_command_queue create(cl_context, cl_device_id, cl_command_queue_properties, cl_int *);
    create *real = (create *)next_function("clCreateCommandQueue");
    return real(context, device, properties | CL_QUEUE_PROFILING_ENABLE, error);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *given, cl_int *error)
{
    typedef cl_command_queue create(cl_context, cl_device_id, const cl_queue_properties *, cl_int *);
    create *real = (create *)next_function("clCreateCommandQueueWithProperties");
    cl_queue_properties all[32] = { 0 };
    size_t count = 0;
    int has_flags = 0;
    for (; given != NULL && given[count] != 0 && count < 28; count += 2) {
        all[count] = given[count];
        all[count + 1] = given[count + 1];
        if (given[count] == CL_QUEUE_PROPERTIES) {
            all[count + 1] |= CL_QUEUE_PROFILING_ENABLE;
            has_flags = 1;
        }
    }
    if (!has_flags) {
        all[count] = CL_QUEUE_PROPERTIES;
        all[count + 1] = CL_QUEUE_PROFILING_ENABLE;
    }
    return real(context, device, all, error);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *list,
                              cl_event *event)
{
    typedef cl_int launch(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                          const cl_event *, cl_event *);
    launch *real = (launch *)next_function("clEnqueueNDRangeKernel");
    cl_event own = NULL, *used = event != NULL ? event : &own;
    unsigned long long before = processor_now();
    cl_int status = real(queue, kernel, dimensions, offset, global, local, waits, list, used);
    if (status != CL_SUCCESS) return status;
    cl_ulong start = 0, end = 0;
    if (clWaitForEvents(1, used) != CL_SUCCESS ||
        clGetEventProfilingInfo(*used, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(*used, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) != CL_SUCCESS) {
        fprintf(stderr, "times: a launch has no times\n");
        abort();
    }
    launches++;
    processor += processor_now() - before;
    nanoseconds += end - start;
    if (own != NULL) clReleaseEvent(own);
    return status;
}

__attribute__((destructor)) static void write_times(void)
{
    const char *path = getenv("LAYOUTC_CL_TIMES");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    fprintf(file, "%llu %llu %llu\n", launches, nanoseconds, processor);
    fclose(file);
}
