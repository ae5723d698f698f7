/* Buffers that start with what the host has; one of them in constant memory. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPHERES 37
#define MAX_SOURCE_SIZE 0x10000

struct ray { float ox, oy, oz, dx, dy, dz; };
struct sphere { float x, y, z, radius; int colour; };
struct hit { float t; int sphere; int colour; };

static struct sphere spheres[SPHERES];

static void check(cl_int err, const char *where)
{
    if (err < 0) {
        fprintf(stderr, "%s: %d\n", where, err);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500;
    int sphere_count = SPHERES;
    if (n < 1) {
        printf("no rays\nPASSED\n");
        return 0;
    }

    struct ray *rays = calloc(n, sizeof(struct ray));
    struct hit *hits = calloc(n, sizeof(struct hit));
    for (int i = 0; i < n; i++) {
        float a = 0.13f * i, b = 0.071f * i;
        rays[i].ox = 0.1f * (i % 3);
        rays[i].dx = cosf(a) * cosf(b);
        rays[i].dy = sinf(a) * cosf(b);
        rays[i].dz = sinf(b);
    }
    for (int s = 0; s < SPHERES; s++) {
        spheres[s].x = (float)(s * 7 % 11 - 5);
        spheres[s].y = (float)(s * 5 % 13 - 6);
        spheres[s].z = (float)(s * 3 % 7 - 3);
        spheres[s].radius = 0.4f + 0.05f * (s % 6);
        spheres[s].colour = s * 37 % 256;
    }

    FILE *fp = fopen("rays.cl", "r");
    if (!fp) {
        fprintf(stderr, "failed to load the kernel\n");
        return 1;
    }
    char *source_str = (char *)malloc(MAX_SOURCE_SIZE);
    size_t source_size = fread(source_str, 1, MAX_SOURCE_SIZE, fp);
    fclose(fp);

    cl_int ret;
    cl_platform_id platform_id = NULL;
    cl_device_id device_id = NULL;
    ret = clGetPlatformIDs(1, &platform_id, NULL);
    check(ret, "platform");
    ret = clGetDeviceIDs(platform_id, CL_DEVICE_TYPE_DEFAULT, 1, &device_id, NULL);
    check(ret, "device");
    cl_context context = clCreateContext(NULL, 1, &device_id, NULL, NULL, &ret);
    check(ret, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device_id, 0, &ret);
    check(ret, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source_str, (const size_t *)&source_size, &ret);
    check(ret, "program");
    ret = clBuildProgram(program, 1, &device_id, NULL, NULL, NULL);
    check(ret, "build");
    cl_kernel kernel = clCreateKernel(program, "trace", &ret);
    check(ret, "kernel");

    cl_mem d_rays = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(struct ray), rays, &ret);
    check(ret, "rays");
    cl_mem d_spheres = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, sizeof(spheres), spheres, &ret);
    check(ret, "spheres");
    cl_mem d_hits = clCreateBuffer(context, CL_MEM_WRITE_ONLY, n * sizeof(struct hit), NULL, &ret);
    check(ret, "hits");

    ret  = clSetKernelArg(kernel, 0, sizeof(cl_mem), (void *)&d_rays);
    ret |= clSetKernelArg(kernel, 1, sizeof(cl_int), (void *)&n);
    ret |= clSetKernelArg(kernel, 2, sizeof(cl_mem), (void *)&d_spheres);
    ret |= clSetKernelArg(kernel, 3, sizeof(cl_int), (void *)&sphere_count);
    ret |= clSetKernelArg(kernel, 4, sizeof(cl_mem), (void *)&d_hits);
    check(ret, "arguments");
    size_t local_item_size = 32;
    size_t global_item_size = (n / local_item_size + 1) * local_item_size;
    ret = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_item_size, &local_item_size, 0, NULL, NULL);
    check(ret, "launch");
    ret = clEnqueueReadBuffer(queue, d_hits, CL_TRUE, 0, n * sizeof(struct hit), hits, 0, NULL, NULL);
    check(ret, "read");

    int wrong = 0, found = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double best = INFINITY;
        for (int s = 0; s < SPHERES; s++) {
            double x = spheres[s].x - rays[i].ox, y = spheres[s].y - rays[i].oy, z = spheres[s].z - rays[i].oz;
            double along = x * rays[i].dx + y * rays[i].dy + z * rays[i].dz;
            double room = spheres[s].radius * spheres[s].radius - (x * x + y * y + z * z - along * along);
            if (room >= 0 && along - sqrt(room) > 0)
                best = fmin(best, along - sqrt(room));
        }
        const struct hit *h = &hits[i];
        if (h->sphere >= 0) {
            found++;
            sum += (i % 9 + 1) * h->t;
            /* a ray that grazes a sphere may be rounded either way */
            wrong += h->sphere >= SPHERES || h->colour != spheres[h->sphere].colour || fabs(h->t - best) > 0.05;
        } else {
            wrong += h->sphere != -1 || h->colour != 0 || (best < INFINITY && i % 50 == 0 && best < 0.5);
        }
    }
    if (n >= 100 && found < n / 10)
        wrong++;
    printf("%d rays, %d hits, sum %.12e\n%s\n", n, found, sum, wrong ? "FAILED" : "PASSED");

    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(d_rays);
    clReleaseMemObject(d_spheres);
    clReleaseMemObject(d_hits);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(source_str);
    free(rays);
    free(hits);
    return wrong ? 1 : 0;
}
