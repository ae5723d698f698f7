// Linked with a random OpenCL program: every third command that does not block is held back for a moment by an event of
// its own, as a device that is busy would do. Commands that are ordered do the same as before; what nobody waits for
// comes late.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 64, EVERY = 3, MICROSECONDS = 1500 };

static unsigned commands;

static void *completes(void *event)
{
    usleep(MICROSECONDS);
    clSetUserEventStatus((cl_event)event, CL_COMPLETE); // It stays: PoCL may look at it once more.
    return NULL;
}

// The wait list with one event more, or the list itself.
static const cl_event *later(cl_command_queue queue, cl_uint *waits, const cl_event *list, cl_event *more)
{
    cl_context context = NULL;
    cl_event held = NULL;
    pthread_t thread;
    if (*waits >= MOST || (*waits == 0) != (list == NULL) || ++commands % EVERY != 0)
        return list;
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS)
        return list;
    held = clCreateUserEvent(context, NULL);
    if (held == NULL)
        return list;
    for (cl_uint at = 0; at < *waits; at++)
        more[at] = list[at];
    more[*waits] = held;
    if (pthread_create(&thread, NULL, completes, held) != 0)
        abort();
    pthread_detach(thread);
    ++*waits;
    return more;
}

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define LATER cl_event more[MOST + 1]; wait_list = later(queue, &waits, wait_list, more)

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                           size_t bytes, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    NEXT(clEnqueueCopyBuffer);
    LATER;
    return next(queue, from, to, from_offset, to_offset, bytes, waits, wait_list, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                           size_t offset, size_t bytes, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    NEXT(clEnqueueFillBuffer);
    LATER;
    return next(queue, buffer, pattern, pattern_bytes, offset, bytes, waits, wait_list, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                           void *host, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    NEXT(clEnqueueReadBuffer);
    if (blocking) return next(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
    LATER;
    return next(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                            const void *host, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    NEXT(clEnqueueWriteBuffer);
    if (blocking) return next(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
    LATER;
    return next(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
}

// Linked with --wrap: the guard has this function already.
cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint waits,
                                     const cl_event *wait_list, cl_event *event);

cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint waits,
                                     const cl_event *wait_list, cl_event *event)
{
    LATER;
    return __real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
}
