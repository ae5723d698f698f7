// All-pairs N-body, double buffered: each step reads one array of bodies and writes the other.
//
// usage: nbody [bodies] [steps]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                             \
    do {                                                                        \
        cl_int status_ = (call);                                                \
        if (status_ != CL_SUCCESS) {                                            \
            fprintf(stderr, "%s:%d: error %d\n", __FILE__, __LINE__, status_);  \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

#define BLOCK_SIZE 64
#define SOFTENING 0.01f

typedef struct {
    cl_float4 pos; // mass in w
    cl_float4 vel;
} Body;

static char *load_kernel_source(const char *filename)
{
    FILE *file = fopen(filename, "rb");
    if (file == NULL) {
        fprintf(stderr, "cannot open %s\n", filename);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *source = (char *)malloc(length + 1);
    if (fread(source, 1, length, file) != (size_t)length) {
        fprintf(stderr, "cannot read %s\n", filename);
        exit(1);
    }
    source[length] = '\0';
    fclose(file);
    return source;
}

static unsigned int seed = 12345u;

static float uniform(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 16777216.0f;
}

static void randomizeBodies(Body *p, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            p[i].pos.s[k] = 2.0f * uniform() - 1.0f;
            p[i].vel.s[k] = 0.1f * uniform();
        }
        p[i].pos.s[3] = (0.5f + uniform()) / n;
        p[i].vel.s[3] = (float)i; // carried along
    }
}

static void referenceStep(const Body *from, Body *to, int n, float dt)
{
    for (int i = 0; i < n; i++) {
        double f[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j < n; j++) {
            double d[3], d2 = SOFTENING;
            for (int k = 0; k < 3; k++) {
                d[k] = from[j].pos.s[k] - from[i].pos.s[k];
                d2 += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                f[k] += d[k] * from[j].pos.s[3] / (d2 * sqrt(d2));
        }
        to[i] = from[i];
        for (int k = 0; k < 3; k++) {
            to[i].vel.s[k] += (float)(dt * f[k]);
            to[i].pos.s[k] += to[i].vel.s[k] * dt;
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    int steps = argc > 2 ? atoi(argv[2]) : 3;
    if (n < 1 || steps < 0) {
        printf("no bodies\nPASSED\n");
        return 0;
    }
    const float dt = 0.01f;
    size_t bytes = n * sizeof(Body);

    Body *bodies = (Body *)malloc(bytes);
    Body *expected = (Body *)malloc(bytes);
    Body *scratch = (Body *)malloc(bytes);
    randomizeBodies(bodies, n);
    for (int i = 0; i < n; i++)
        expected[i] = bodies[i];

    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    CHECK(err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    CHECK(err);

    char *source = load_kernel_source("nbody_kernels.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
    CHECK(err);
    char options[64];
    sprintf(options, "-DSOFTENING=%ff", SOFTENING);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
        return 1;
    }
    cl_kernel advance = clCreateKernel(program, "advance", &err);
    CHECK(err);
    cl_kernel momentum = clCreateKernel(program, "momentum", &err);
    CHECK(err);

    size_t local = BLOCK_SIZE;
    size_t groups = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    size_t global = groups * BLOCK_SIZE;

    cl_mem d_from = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    CHECK(err);
    cl_mem d_to = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    CHECK(err);
    cl_mem d_sums = clCreateBuffer(context, CL_MEM_WRITE_ONLY, groups * sizeof(cl_float4), NULL, &err);
    CHECK(err);
    CHECK(clEnqueueWriteBuffer(queue, d_from, CL_TRUE, 0, bytes, bodies, 0, NULL, NULL));

    CHECK(clSetKernelArg(advance, 2, sizeof(int), &n));
    CHECK(clSetKernelArg(advance, 3, sizeof(float), &dt));
    CHECK(clSetKernelArg(advance, 4, BLOCK_SIZE * sizeof(cl_float4), NULL));
    for (int s = 0; s < steps; s++) {
        CHECK(clSetKernelArg(advance, 0, sizeof(cl_mem), (void *)&d_from));
        CHECK(clSetKernelArg(advance, 1, sizeof(cl_mem), (void *)&d_to));
        CHECK(clEnqueueNDRangeKernel(queue, advance, 1, NULL, &global, &local, 0, NULL, NULL));
        cl_mem tmp = d_from;
        d_from = d_to;
        d_to = tmp;
    }

    CHECK(clSetKernelArg(momentum, 0, sizeof(cl_mem), (void *)&d_from));
    CHECK(clSetKernelArg(momentum, 1, sizeof(cl_mem), (void *)&d_sums));
    CHECK(clSetKernelArg(momentum, 2, sizeof(int), &n));
    CHECK(clSetKernelArg(momentum, 3, BLOCK_SIZE * sizeof(cl_float4), NULL));
    CHECK(clEnqueueNDRangeKernel(queue, momentum, 1, NULL, &global, &local, 0, NULL, NULL));

    cl_float4 *sums = (cl_float4 *)malloc(groups * sizeof(cl_float4));
    CHECK(clEnqueueReadBuffer(queue, d_from, CL_TRUE, 0, bytes, bodies, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, d_sums, CL_TRUE, 0, groups * sizeof(cl_float4), sums, 0, NULL, NULL));

    for (int s = 0; s < steps; s++) {
        referenceStep(expected, scratch, n, dt);
        Body *t = expected;
        expected = scratch;
        scratch = t;
    }

    int bad = 0;
    double position = 0.0, velocity = 0.0, mass = 0.0;
    double want[4] = {0.0, 0.0, 0.0, 0.0}, got[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            float dp = bodies[i].pos.s[k] - expected[i].pos.s[k];
            float dv = bodies[i].vel.s[k] - expected[i].vel.s[k];
            bad += !(fabsf(dp) < 1e-3f) || !(fabsf(dv) < 1e-3f);
            want[k] += bodies[i].vel.s[k] * bodies[i].pos.s[3];
        }
        position += (i % 7 + 1) * (bodies[i].pos.s[0] + 2.0 * bodies[i].pos.s[1] + 3.0 * bodies[i].pos.s[2]);
        velocity += (i % 5 + 1) * (bodies[i].vel.s[0] + 2.0 * bodies[i].vel.s[1] + 3.0 * bodies[i].vel.s[2] +
                                   bodies[i].vel.s[3]);
        mass += (i % 3 + 1) * bodies[i].pos.s[3];
    }
    for (size_t g = 0; g < groups; g++)
        for (int k = 0; k < 4; k++)
            got[k] += sums[g].s[k];
    for (int k = 0; k < 4; k++)
        bad += !(fabs(got[k] - want[k]) <= 1e-4 * (1.0 + fabs(want[k])));

    printf("bodies %d steps %d\n", n, steps);
    printf("position %.14e velocity %.14e mass %.14e\n", position, velocity, mass);
    printf("momentum %.7e %.7e %.7e %.7e\n", got[0], got[1], got[2], got[3]);
    printf("%s\n", bad ? "FAILED" : "PASSED");

    clReleaseMemObject(d_from);
    clReleaseMemObject(d_to);
    clReleaseMemObject(d_sums);
    clReleaseKernel(advance);
    clReleaseKernel(momentum);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(source);
    free(bodies);
    free(expected);
    free(scratch);
    free(sums);
    return bad ? 1 : 0;
}
