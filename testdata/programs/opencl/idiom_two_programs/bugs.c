/* One buffer in two programs: the first is made of two texts, the second includes one of them. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct bug {
    int x, y;
    unsigned seed;
    int age;
} bug_t;

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert(f != NULL);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fseek(f, 0, SEEK_SET);
    char *s = malloc(size + 1);
    s[fread(s, 1, size, f)] = 0;
    fclose(f);
    return s;
}

static void expect(cl_int err, const char *what)
{
    if (err != CL_SUCCESS) {
        fprintf(stderr, "%s failed: %d\n", what, err);
        exit(1);
    }
}

static void reference(bug_t *bugs, bug_t *scratch, int n)
{
    for (int i = 0; i < n; i++) {
        bug_t *b = &bugs[i];
        b->seed = b->seed * 1103515245u + 12345u;
        b->x += (int)(b->seed >> 16 & 3) - 1;
        b->y += (int)(b->seed >> 20 & 3) - 1;
        b->age++;
        scratch[i] = *b;
    }
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n;
        if (abs(scratch[i].x - scratch[j].x) <= 1 && abs(scratch[i].y - scratch[j].y) <= 1 && j != i) {
            bugs[i].age = 0;
            bugs[i].x = -bugs[i].x;
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 555, steps = argc > 2 ? atoi(argv[2]) : 6;
    if (n < 1) {
        printf("no bugs\nPASSED\n");
        return 0;
    }
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    expect(clGetPlatformIDs(1, &platform, NULL), "platform");
    expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    expect(err, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    expect(err, "queue");

    char *texts[2];
    texts[0] = slurp("kernels/bug.cl");
    texts[1] = slurp("kernels/walk.cl");
    cl_program walking = clCreateProgramWithSource(context, 2, (const char **)texts, NULL, &err);
    expect(err, "program of walks");
    expect(clBuildProgram(walking, 1, &device, NULL, NULL, NULL), "build of walks");
    char *text = slurp("kernels/meet.cl");
    cl_program meeting = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &err);
    expect(err, "program of meetings");
    expect(clBuildProgram(meeting, 1, &device, "-I.", NULL, NULL), "build of meetings");
    cl_kernel live = clCreateKernel(walking, "live", &err);
    expect(err, "live");
    cl_kernel meet = clCreateKernel(meeting, "meet", &err);
    expect(err, "meet");

    size_t size = n * sizeof(bug_t);
    bug_t *bugs = malloc(size), *want = malloc(size), *scratch = malloc(size);
    for (int i = 0; i < n; i++) {
        bugs[i].x = i % 5;
        bugs[i].y = i % 4;
        bugs[i].seed = i * 2246822519u + 1u;
        bugs[i].age = i % 3;
        want[i] = bugs[i];
    }
    cl_mem now = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &err);
    expect(err, "memory");
    cl_mem then = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &err);
    expect(err, "memory");
    expect(clEnqueueWriteBuffer(queue, now, CL_TRUE, 0, size, bugs, 0, NULL, NULL), "write");
    size_t items = n;
    for (int step = 0; step < steps; step++) {
        expect(clSetKernelArg(live, 0, sizeof(cl_mem), &now), "live 0");
        expect(clSetKernelArg(live, 1, sizeof(int), &n), "live 1");
        expect(clEnqueueNDRangeKernel(queue, live, 1, NULL, &items, NULL, 0, NULL, NULL), "live");
        expect(clSetKernelArg(meet, 0, sizeof(cl_mem), &now), "meet 0");
        expect(clSetKernelArg(meet, 1, sizeof(cl_mem), &then), "meet 1");
        expect(clSetKernelArg(meet, 2, sizeof(int), &n), "meet 2");
        expect(clEnqueueNDRangeKernel(queue, meet, 1, NULL, &items, NULL, 0, NULL, NULL), "meet");
        cl_mem swap = now;
        now = then;
        then = swap;
    }
    expect(clEnqueueReadBuffer(queue, now, CL_TRUE, 0, size, bugs, 0, NULL, NULL), "read");

    for (int step = 0; step < steps; step++)
        reference(want, scratch, n);
    int wrong = 0, ages = 0;
    unsigned hash = 7;
    for (int i = 0; i < n; i++) {
        wrong += bugs[i].x != want[i].x || bugs[i].y != want[i].y || bugs[i].seed != want[i].seed || bugs[i].age != want[i].age;
        hash = hash * 33 + bugs[i].x;
        hash = hash * 33 + bugs[i].y;
        hash = hash * 33 + bugs[i].seed;
        ages += bugs[i].age;
    }
    printf("%d bugs, %d steps: hash %08x ages %d\n%s\n", n, steps, hash, ages, wrong ? "FAILED" : "PASSED");

    clReleaseMemObject(now);
    clReleaseMemObject(then);
    clReleaseKernel(live);
    clReleaseKernel(meet);
    clReleaseProgram(walking);
    clReleaseProgram(meeting);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(texts[0]);
    free(texts[1]);
    free(text);
    free(bugs);
    free(want);
    free(scratch);
    return wrong != 0;
}
