/* Charged particles on springs. Positions, velocities, forces, charges and kinds are buffers of their own; positions are
 * two sets that change places with each step. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BONDS 4
#define CHECK(call)                                                                  \
    do {                                                                             \
        cl_int status = (call);                                                      \
        if (status != CL_SUCCESS) {                                                  \
            fprintf(stderr, "%s:%d: error %d in %s\n", __FILE__, __LINE__, status, #call); \
            exit(2);                                                                 \
        }                                                                            \
    } while (0)

/* What all particles of one time step are. */
struct state {
    cl_mem x, y, z;
};

static cl_context context;
static cl_command_queue queue;

/* Numbers of one kind, with values or without. */
static cl_mem floats(cl_mem_flags flags, size_t n, float *values)
{
    cl_int err;
    cl_mem made = clCreateBuffer(context, flags, n * sizeof(float), values, &err);
    CHECK(err);
    return made;
}

static void allocate(struct state *s, size_t n)
{
    cl_int err;
    s->x = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &err);
    CHECK(err);
    s->y = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &err);
    CHECK(err);
    s->z = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &err);
    CHECK(err);
}

static void release(struct state *s)
{
    clReleaseMemObject(s->z);
    clReleaseMemObject(s->x);
    clReleaseMemObject(s->y);
}

/* Sets all arguments that are buffers, from the first on. */
static void set(cl_kernel kernel, cl_uint at, cl_mem buffer)
{
    CHECK(clSetKernelArg(kernel, at, sizeof(cl_mem), &buffer));
}

static unsigned seed = 2463534242u;
static unsigned draw(unsigned bound)
{
    seed = seed * 1664525u + 1013904223u;
    return bound ? (seed >> 8) % bound : 0;
}

struct host {
    float *x, *y, *z, *vx, *vy, *vz, *fx, *fy, *fz, *charge;
    short *kind;
    int *bonds, *list, *age;
};

static float pull(float d, float q)
{
    return 0.01f * d * q;
}

static void reference(struct host *h, int n, int steps)
{
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            float ax = 0, ay = 0, az = 0;
            for (int k = 0; k < BONDS; ++k) {
                int j = h->bonds[i * BONDS + k];
                float q = h->kind[j] == 2 ? 0.5f * h->charge[j] : h->charge[j];
                ax += pull(h->x[j] - h->x[i], q);
                ay += pull(h->y[j] - h->y[i], q);
                az += pull(h->z[j] - h->z[i], h->charge[j]);
            }
            h->fx[i] = ax, h->fy[i] = ay, h->fz[i] = az;
        }
        for (int i = 0; i < n; ++i) {
            h->vx[i] += h->fx[i], h->vy[i] += h->fy[i], h->vz[i] += h->fz[i];
            h->x[i] += 0.1f * h->vx[i], h->y[i] += 0.1f * h->vy[i], h->z[i] += 0.1f * h->vz[i];
        }
        for (int i = 0; i < n; ++i)
            h->age[h->bonds[i * BONDS]]++;
        h->kind[h->bonds[0]] = 2;
    }
}

static int differ(const float *a, const float *b, int n)
{
    for (int i = 0; i < n; ++i)
        if (fabsf(a[i] - b[i]) > 1e-4f * (1 + fabsf(b[i])))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 4;
    const size_t bytes = n * sizeof(float);
    if (n < 1) {
        printf("no particles\nPASSED\n");
        return 0;
    }
    struct host h = {malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes),
                     malloc(bytes), malloc(bytes), malloc(bytes), malloc(n * sizeof(short)), malloc(BONDS * n * sizeof(int)),
                     malloc(n * sizeof(int)), malloc(n * sizeof(int))};
    for (int i = 0; i < n; ++i) {
        h.x[i] = draw(1000) * 0.01f, h.y[i] = draw(1000) * 0.01f, h.z[i] = draw(1000) * 0.01f;
        h.vx[i] = 0, h.vy[i] = draw(10) * 0.001f, h.vz[i] = 0;
        h.fx[i] = h.fy[i] = h.fz[i] = 0;
        h.charge[i] = 1 + draw(5), h.kind[i] = (short)draw(3), h.age[i] = (int)draw(9), h.list[i] = i;
        for (int k = 0; k < BONDS; ++k)
            h.bonds[i * BONDS + k] = (int)draw(n);
    }
    for (int i = n - 1; i > 0; --i) {
        const int j = draw(i + 1), t = h.list[i];
        h.list[i] = h.list[j];
        h.list[j] = t;
    }

    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    CHECK(err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    CHECK(err);
    char text[8192];
    FILE *file = fopen("merge_particles.cl", "r");
    if (!file) {
        printf("no merge_particles.cl\n");
        return 1;
    }
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &err);
    CHECK(err);
    CHECK(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    cl_kernel forces = clCreateKernel(program, "forces", &err);
    CHECK(err);
    cl_kernel move = clCreateKernel(program, "move", &err);
    CHECK(err);
    cl_kernel count = clCreateKernel(program, "count", &err);
    CHECK(err);

    struct state now, next;
    allocate(&now, n);
    allocate(&next, n);
    cl_mem d_vx = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    cl_mem d_vy = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, h.vy, &err);
    cl_mem d_vz = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    CHECK(err);
    cl_mem d_fx, d_fy, d_fz;
    d_fx = floats(CL_MEM_READ_WRITE, n, NULL);
    d_fy = floats(CL_MEM_READ_WRITE, n, NULL);
    d_fz = floats(CL_MEM_READ_WRITE, n, NULL);
    cl_mem d_charge = floats(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n, h.charge);
    cl_mem d_kind = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(cl_short) * n, h.kind, &err);
    CHECK(err);
    cl_mem d_bonds = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BONDS * n * sizeof(int), h.bonds, &err);
    CHECK(err);
    cl_mem d_list = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(int), h.list, &err);
    CHECK(err);
    cl_mem d_age = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(int), NULL, &err);
    CHECK(err);

    /* The first half, then the second. */
    const size_t half = n / 2;
    if (half > 0)
        CHECK(clEnqueueWriteBuffer(queue, now.x, CL_TRUE, 0, half * sizeof(float), h.x, 0, NULL, NULL));
    CHECK(clEnqueueWriteBuffer(queue, now.x, CL_TRUE, half * sizeof(float), (n - half) * sizeof(float), h.x + half, 0, NULL, NULL));
    cl_event written[2];
    CHECK(clEnqueueWriteBuffer(queue, now.y, CL_FALSE, 0, bytes, h.y, 0, NULL, &written[0]));
    CHECK(clEnqueueWriteBuffer(queue, now.z, CL_FALSE, 0, bytes, h.z, 1, written, &written[1]));
    const float zero = 0;
    CHECK(clEnqueueFillBuffer(queue, d_vx, &zero, sizeof zero, 0, bytes, 2, written, NULL));
    CHECK(clEnqueueFillBuffer(queue, d_vz, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    /* Is written again, before it is read. */
    CHECK(clEnqueueCopyBuffer(queue, now.x, next.x, 0, half * sizeof(float), (n - half) * sizeof(float), 0, NULL, NULL));
    CHECK(clEnqueueWriteBuffer(queue, d_age, CL_TRUE, 0, n * sizeof(int), h.age, 0, NULL, NULL));
    clReleaseEvent(written[0]);
    clReleaseEvent(written[1]);

    const size_t local = 64, global = (n + local - 1) / local * local;
    for (int step = 0; step < steps; ++step) {
        set(forces, 0, now.x);
        set(forces, 1, now.y);
        set(forces, 2, now.z);
        set(forces, 3, d_charge);
        set(forces, 4, d_kind);
        set(forces, 5, d_bonds);
        set(forces, 6, d_fx);
        set(forces, 7, d_fy);
        set(forces, 8, d_fz);
        CHECK(clSetKernelArg(forces, 9, sizeof(int), &n));
        CHECK(clEnqueueNDRangeKernel(queue, forces, 1, NULL, &global, &local, 0, NULL, NULL));
        set(move, 0, now.x);
        set(move, 1, now.y);
        set(move, 2, now.z);
        set(move, 3, next.x);
        set(move, 4, next.y);
        set(move, 5, next.z);
        set(move, 6, d_vx);
        set(move, 7, d_vy);
        set(move, 8, d_vz);
        set(move, 9, d_fx);
        set(move, 10, d_fy);
        set(move, 11, d_fz);
        set(move, 12, d_list);
        CHECK(clSetKernelArg(move, 13, sizeof(int), &n));
        CHECK(clEnqueueNDRangeKernel(queue, move, 1, NULL, &local, &local, 0, NULL, NULL));
        set(count, 0, d_bonds);
        set(count, 1, d_age);
        set(count, 2, d_kind);
        CHECK(clSetKernelArg(count, 3, sizeof(int), &n));
        CHECK(clEnqueueNDRangeKernel(queue, count, 1, NULL, &global, &local, 0, NULL, NULL));
        const struct state t = now;
        now = next;
        next = t;
    }

    struct host got = {malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes),
                       malloc(bytes), malloc(bytes), malloc(bytes), malloc(n * sizeof(short)), NULL, NULL, malloc(n * sizeof(int))};
    CHECK(clEnqueueReadBuffer(queue, now.x, CL_TRUE, 0, bytes, got.x, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, now.y, CL_FALSE, 0, bytes, got.y, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, now.z, CL_FALSE, 0, bytes, got.z, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, d_vx, CL_TRUE, 0, bytes, got.vx, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, d_vy, CL_TRUE, 0, bytes, got.vy, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, d_vz, CL_TRUE, 0, bytes, got.vz, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, d_kind, CL_TRUE, 0, n * sizeof(short), got.kind, 0, NULL, NULL));
    const int *ages = clEnqueueMapBuffer(queue, d_age, CL_TRUE, CL_MAP_READ, 0, n * sizeof(int), 0, NULL, NULL, &err);
    CHECK(err);
    memcpy(got.age, ages, n * sizeof(int));
    CHECK(clEnqueueUnmapMemObject(queue, d_age, (void *)ages, 0, NULL, NULL));
    CHECK(clFinish(queue));
    release(&now);
    release(&next);
    clReleaseMemObject(d_vx);
    clReleaseMemObject(d_vy);
    clReleaseMemObject(d_vz);
    clReleaseMemObject(d_fx);
    clReleaseMemObject(d_fy);
    clReleaseMemObject(d_fz);
    clReleaseMemObject(d_charge);
    clReleaseMemObject(d_kind);
    clReleaseMemObject(d_bonds);
    clReleaseMemObject(d_list);
    clReleaseMemObject(d_age);

    reference(&h, n, steps);
    int wrong = differ(got.x, h.x, n) || differ(got.y, h.y, n) || differ(got.z, h.z, n) || differ(got.vx, h.vx, n) ||
                differ(got.vy, h.vy, n) || differ(got.vz, h.vz, n) || memcmp(got.kind, h.kind, n * sizeof(short)) != 0 ||
                memcmp(got.age, h.age, n * sizeof(int)) != 0;
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (1 + i % 7) * ((double)got.x[i] + got.y[i] + got.z[i]) + got.vx[i] + got.vy[i] + got.vz[i] + got.age[i];
    printf("%d particles, %d steps, sum %.9g\n%s\n", n, steps, sum, wrong ? "FAILED" : "PASSED");
    return wrong;
}
