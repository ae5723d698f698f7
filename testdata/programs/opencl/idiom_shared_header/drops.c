// Structs of a header that kernels include too, which maps the names of types with __OPENCL_VERSION__.
#define CL_TARGET_OPENCL_VERSION 120
#include "drops.h"
#include <stdio.h>
#include <stdlib.h>

#define CL(call)                                                    \
    do {                                                            \
        cl_int e_ = call;                                           \
        if (e_) { fprintf(stderr, "%s: %d\n", #call, e_); exit(1); } \
    } while (0)

int main(int argc, char **argv)
{
    const u32 n = argc > 1 ? atoi(argv[1]) : 300;
    if (n < 1) {
        printf("no drops\nPASSED\n");
        return 0;
    }
    static char text[8192];
    const char *source = text;
    FILE *file = fopen("drops.cl", "r");
    if (file == NULL || fread(text, 1, sizeof(text) - 1, file) == 0)
        return 1;
    fclose(file);

    Drop *drops = malloc(n * sizeof(Drop)), *before = malloc(n * sizeof(Drop));
    Cell cells[CELLS] = {{0}};
    for (u32 i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            drops[i].place.s[k] = (f32)((i * (k + 3) * 7) % 32);
        drops[i].mass = 0.25f * (i % 16);
        drops[i].cell = 0;
        before[i] = drops[i];
    }

    cl_int e;
    cl_platform_id platform;
    cl_device_id device;
    CL(clGetPlatformIDs(1, &platform, NULL));
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
    CL(clBuildProgram(program, 1, &device, "-I.", NULL, NULL));
    cl_kernel sort_in = clCreateKernel(program, "sort_in", &e);
    cl_kernel weigh = clCreateKernel(program, "weigh", &e);
    cl_mem d_drops = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(Drop), NULL, &e);
    cl_mem d_cells = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cells), NULL, &e);
    CL(clEnqueueWriteBuffer(queue, d_drops, CL_TRUE, 0, n * sizeof(Drop), drops, 0, NULL, NULL));
    CL(clEnqueueWriteBuffer(queue, d_cells, CL_TRUE, 0, sizeof(cells), cells, 0, NULL, NULL));
    CL(clSetKernelArg(sort_in, 0, sizeof(cl_mem), &d_drops));
    CL(clSetKernelArg(sort_in, 1, sizeof(u32), &n));
    CL(clSetKernelArg(weigh, 0, sizeof(cl_mem), &d_drops));
    CL(clSetKernelArg(weigh, 1, sizeof(u32), &n));
    CL(clSetKernelArg(weigh, 2, sizeof(cl_mem), &d_cells));
    const size_t all = n, groups = CELLS;
    for (int round = 0; round < 2; round++) {
        CL(clEnqueueNDRangeKernel(queue, sort_in, 1, NULL, &all, NULL, 0, NULL, NULL));
        CL(clEnqueueNDRangeKernel(queue, weigh, 1, NULL, &groups, NULL, 0, NULL, NULL));
    }
    CL(clEnqueueReadBuffer(queue, d_drops, CL_TRUE, 0, n * sizeof(Drop), drops, 0, NULL, NULL));
    CL(clEnqueueReadBuffer(queue, d_cells, CL_TRUE, 0, sizeof(cells), cells, 0, NULL, NULL));

    f32 mass[CELLS] = {0};
    u32 count[CELLS] = {0};
    int wrong = 0;
    for (u32 i = 0; i < n; i++) {
        u32 c = (u32)(before[i].place.s[0] + 4.0f * before[i].place.s[1]) % CELLS;
        mass[c] += before[i].mass;
        count[c]++;
        wrong += drops[i].cell != c || drops[i].place.s[2] != before[i].place.s[2];
        wrong += drops[i].place.s[3] != before[i].place.s[3] + 2 * before[i].mass;
    }
    double sum = 0;
    for (int c = 0; c < CELLS; c++) {
        wrong += cells[c].mass != mass[c] || cells[c].count != count[c] || cells[c].seen != 2 * count[c];
        sum += (c + 1) * (cells[c].mass + (double)cells[c].seen);
    }
    printf("%u drops: %.3f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    clReleaseMemObject(d_drops);
    clReleaseMemObject(d_cells);
    clReleaseKernel(sort_in);
    clReleaseKernel(weigh);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(drops);
    free(before);
    return wrong != 0;
}
