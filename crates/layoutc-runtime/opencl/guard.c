// Linked with an OpenCL program to see what its kernels do wrong on a CPU device, which shares the host's memory:
//
// - a buffer ends at a page that nobody may touch, and another one is before it: an access there ends the program;
// - what alignment leaves between them and the buffer is checked when the buffer is released, and at the end of the
//   program: one line on stderr and exit status 97;
// - a buffer starts as bytes 0xA5, so that what a program computes from memory that it never wrote is the same in
//   every layout and every run;
// - with LAYOUTC_CL_LOG the names of launched kernels are written to that file, one for each line.
//
// Buffers on other devices and in memory of the program's own (CL_MEM_USE_HOST_PTR) stay as they are. A recorder that is
// linked, too (recorder.cpp, tracer.cpp), is told of all buffers.
// LAYOUTC_CL_GUARD=0 turns all but the log off.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 128, FRESH = 0xA5, RED = 0x5A, REPORTED = 97 };

// One buffer: `mapped` bytes from `start`, of which the first and the last page are out of bounds; between them, from
// `first` to `bound`, the buffer lies as far behind as its alignment allows.
struct guarded {
    struct guarded *next;
    unsigned char *start, *first, *memory, *bound;
    size_t mapped, size;
    int number;
};

extern void layoutc_recorder_buffer(void *first, size_t size) __attribute__((weak));
extern void layoutc_recorder_release(void *first) __attribute__((weak));
extern void layoutc_recorder_launching(cl_kernel kernel) __attribute__((weak));
extern void layoutc_recorder_launched(void) __attribute__((weak));
extern void layoutc_recorder_waits(cl_command_queue queue, cl_uint waits, const cl_event *wait_list) __attribute__((weak));
extern void layoutc_recorder_finish(void) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct guarded *all;
static int count;

static int is_on(void)
{
    const char *given = getenv("LAYOUTC_CL_GUARD");
    return given == NULL || strcmp(given, "0") != 0;
}

int layoutc_is_on_cpus(cl_context context)
{
    cl_device_id devices[16];
    size_t bytes = 0;
    if (clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS) return 0;
    for (size_t d = 0; d < bytes / sizeof *devices; d++) {
        cl_device_type type = 0;
        if (clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS) return 0;
        if (!(type & CL_DEVICE_TYPE_CPU)) return 0;
    }
    return 1;
}

size_t layoutc_largest_group(cl_context context)
{
    cl_device_id devices[16];
    size_t bytes = 0, largest = 0;
    if (clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS) return 0;
    for (size_t d = 0; d < bytes / sizeof *devices; d++) {
        size_t own = 0;
        clGetDeviceInfo(devices[d], CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof own, &own, NULL);
        if (own > largest) largest = own;
    }
    return largest;
}

static void report(const struct guarded *g, const char *where)
{
    // No stdio: another thread may hold its locks.
    char line[160];
    int length = snprintf(line, sizeof line, "layoutc: a kernel writes %s buffer %d (%zu bytes)\n", where,
                          g->number, g->size);
    if (write(STDERR_FILENO, line, (size_t)length) < 0) _exit(REPORTED);
    if (layoutc_recorder_finish) layoutc_recorder_finish();
    _exit(REPORTED);
}

static void check(const struct guarded *g)
{
    for (const unsigned char *p = g->first; p < g->memory; p++)
        if (*p != RED) report(g, "before");
    for (const unsigned char *p = g->memory + g->size; p < g->bound; p++)
        if (*p != RED) report(g, "behind");
}

static void check_all(void)
{
    pthread_mutex_lock(&lock);
    for (const struct guarded *g = all; g != NULL; g = g->next) check(g);
    pthread_mutex_unlock(&lock);
}

static void CL_CALLBACK released(cl_mem buffer, void *data)
{
    (void)buffer;
    struct guarded *g = data, **at;
    check(g);
    if (layoutc_recorder_release) layoutc_recorder_release(g->memory);
    pthread_mutex_lock(&lock);
    for (at = &all; *at != NULL && *at != g; at = &(*at)->next) {}
    if (*at == g) *at = g->next;
    pthread_mutex_unlock(&lock);
    munmap(g->start, g->mapped);
    free(g);
}

static void CL_CALLBACK forgotten(cl_mem buffer, void *memory)
{
    (void)buffer;
    layoutc_recorder_release(memory);
}

static struct guarded *guarded_memory(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > (size_t)-1 / 2) return NULL;
    const size_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t inside = (room + page - 1) / page * page;
    struct guarded *g = calloc(1, sizeof *g);
    if (g == NULL) return NULL;
    g->mapped = inside + 2 * page;
    g->start = mmap(NULL, g->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g->start == MAP_FAILED) {
        free(g);
        return NULL;
    }
    g->first = g->start + page;
    g->bound = g->first + inside;
    g->memory = g->bound - room;
    g->size = size;
    mprotect(g->start, page, PROT_NONE);
    mprotect(g->bound, page, PROT_NONE);
    memset(g->first, RED, (size_t)(g->memory - g->first));
    memset(g->memory, FRESH, size);
    memset(g->memory + size, RED, room - size);
    return g;
}

static void *next_function(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "layoutc: libOpenCL has no %s\n", name);
        _exit(REPORTED);
    }
    return found;
}

typedef cl_mem create_function(cl_context, cl_mem_flags, size_t, void *, cl_int *);

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
    create_function *create = (create_function *)next_function("clCreateBuffer");
    const cl_mem_flags with_host = CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR;
    const int is_sound = size > 0 && (host != NULL) == ((flags & with_host) != 0);
    struct guarded *g = NULL;
    if (is_sound && !(flags & CL_MEM_USE_HOST_PTR) && is_on() && layoutc_is_on_cpus(context)) g = guarded_memory(size);
    if (g == NULL) {
        cl_mem buffer = create(context, flags, size, host, error);
        if (buffer != NULL && (flags & CL_MEM_USE_HOST_PTR) && layoutc_recorder_buffer && layoutc_is_on_cpus(context)) {
            layoutc_recorder_buffer(host, size);
            clSetMemObjectDestructorCallback(buffer, forgotten, host);
        }
        return buffer;
    }

    if (flags & CL_MEM_COPY_HOST_PTR) memcpy(g->memory, host, size);
    flags &= ~(cl_mem_flags)(CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR);
    cl_mem buffer = create(context, flags | CL_MEM_USE_HOST_PTR, size, g->memory, error);
    if (buffer == NULL) {
        munmap(g->start, g->mapped);
        free(g);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    if (count == 0) atexit(check_all);
    if (layoutc_recorder_buffer) layoutc_recorder_buffer(g->memory, size);
    g->number = ++count;
    g->next = all;
    all = g;
    pthread_mutex_unlock(&lock);
    clSetMemObjectDestructorCallback(buffer, released, g);
    return buffer;
}

static void log_launch(cl_kernel kernel)
{
    const char *path = getenv("LAYOUTC_CL_LOG");
    char name[512] = "?";
    if (path == NULL) return;
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    pthread_mutex_lock(&lock);
    FILE *file = fopen(path, "a");
    if (file != NULL) {
        fprintf(file, "%s\n", name);
        fclose(file);
    }
    pthread_mutex_unlock(&lock);
}

typedef cl_int launch_function(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                               const cl_event *, cl_event *);

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list,
                              cl_event *event)
{
    log_launch(kernel);
    if (layoutc_recorder_launching) layoutc_recorder_launching(kernel);
    launch_function *launch = (launch_function *)next_function("clEnqueueNDRangeKernel");
    const cl_int error = launch(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
    if (layoutc_recorder_launched) layoutc_recorder_launched();
    if (layoutc_recorder_waits && error == CL_SUCCESS) layoutc_recorder_waits(queue, waits, wait_list);
    return error;
}
