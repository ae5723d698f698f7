/*
 * Bitonic sort of 16-byte records. Strides that fit into one work-group are sorted in local memory,
 * longer ones in global memory; both move whole records. The host fills and reads the buffer in place.
 *
 * usage: bitonic [records]
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/opencl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 64
#define CHUNK (2 * THREADS) /* records that one work-group sorts in local memory */

typedef struct record {
        cl_uint  key;
        cl_uint  id;     /* unique; breaks ties, so that there is only one sorted order */
        cl_float value;
        cl_int   parent;
} record_t;

static const char *sort_source =
        "typedef struct record {                                                         \n"
        "        uint  key;                                                              \n"
        "        uint  id;                                                               \n"
        "        float value;                                                            \n"
        "        int   parent;                                                           \n"
        "} record_t;                                                                     \n"
        "                                                                                \n"
        "#define THREADS 64                                                              \n"
        "#define CHUNK   (2 * THREADS)                                                   \n"
        "                                                                                \n"
        "int less_than(const record_t a, const record_t b)                               \n"
        "{                                                                               \n"
        "        return a.key < b.key || (a.key == b.key && a.id < b.id);                \n"
        "}                                                                               \n"
        "                                                                                \n"
        "void exchange_local(__local record_t *a, __local record_t *b, int ascending)    \n"
        "{                                                                               \n"
        "        if (less_than(*b, *a) == ascending) {                                   \n"
        "                record_t t = *a;                                                \n"
        "                *a = *b;                                                        \n"
        "                *b = t;                                                         \n"
        "        }                                                                       \n"
        "}                                                                               \n"
        "                                                                                \n"
        "void exchange_global(__global record_t *data, uint i, uint l, int ascending)    \n"
        "{                                                                               \n"
        "        record_t a = data[i];                                                   \n"
        "        record_t b = data[l];                                                   \n"
        "        if (less_than(b, a) == ascending) {                                     \n"
        "                data[i] = b;                                                    \n"
        "                data[l] = a;                                                    \n"
        "        }                                                                       \n"
        "}                                                                               \n"
        "                                                                                \n"
        "/* all stages with k <= CHUNK, or the tail of a later stage */                  \n"
        "__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))                   \n"
        "void sort_local(__global record_t *data, int k_first, int k_last)               \n"
        "{                                                                               \n"
        "        __local record_t s[CHUNK];                                              \n"
        "        const int base = get_group_id(0) * CHUNK;                               \n"
        "        const int t = get_local_id(0);                                          \n"
        "                                                                                \n"
        "        s[t] = data[base + t];                                                  \n"
        "        s[t + THREADS] = data[base + t + THREADS];                              \n"
        "                                                                                \n"
        "        for (int k = k_first; k <= k_last; k <<= 1) {                           \n"
        "                for (int j = (k < CHUNK ? k : CHUNK) >> 1; j > 0; j >>= 1) {    \n"
        "                        barrier(CLK_LOCAL_MEM_FENCE);                           \n"
        "                        const int lo = 2 * t - (t & (j - 1));                   \n"
        "                        const int ascending = ((base + lo) & k) == 0;           \n"
        "                        exchange_local(&s[lo], &s[lo + j], ascending);          \n"
        "                }                                                               \n"
        "        }                                                                       \n"
        "        barrier(CLK_LOCAL_MEM_FENCE);                                           \n"
        "                                                                                \n"
        "        data[base + t] = s[t];                                                  \n"
        "        data[base + t + THREADS] = s[t + THREADS];                              \n"
        "}                                                                               \n"
        "                                                                                \n"
        "__kernel void merge_global(__global record_t *data, int k, int j)               \n"
        "{                                                                               \n"
        "        const uint i = get_global_id(0);                                        \n"
        "        const uint l = i ^ j;                                                   \n"
        "        if (l > i)                                                              \n"
        "                exchange_global(data, i, l, (i & k) == 0);                      \n"
        "}                                                                               \n";

static void die(const char *what, cl_int rc)
{
        fprintf(stderr, "%s: error %d\n", what, rc);
        exit(EXIT_FAILURE);
}

static int compare(const void *x, const void *y)
{
        const record_t *a = x, *b = y;
        if (a->key != b->key)
                return a->key < b->key ? -1 : 1;
        return a->id < b->id ? -1 : a->id > b->id;
}

int main(int argc, char **argv)
{
        const int n = argc > 1 ? atoi(argv[1]) : 1000;
        if (n < 0) {
                puts("the number of records must not be negative");
                return 2;
        }
        int padded = CHUNK;
        while (padded < n)
                padded *= 2;
        const size_t size = padded * sizeof(record_t);

        cl_int rc;
        cl_platform_id platform;
        cl_device_id device;
        if ((rc = clGetPlatformIDs(1, &platform, NULL)) != CL_SUCCESS)
                die("platform", rc);
        if ((rc = clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL)) != CL_SUCCESS)
                die("device", rc);
        cl_context ctx = clCreateContext(NULL, 1, &device, NULL, NULL, &rc);
        if (rc != CL_SUCCESS)
                die("context", rc);
        cl_command_queue q = clCreateCommandQueue(ctx, device, 0, &rc);
        if (rc != CL_SUCCESS)
                die("queue", rc);

        cl_program program = clCreateProgramWithSource(ctx, 1, &sort_source, NULL, &rc);
        if (rc != CL_SUCCESS)
                die("program", rc);
        rc = clBuildProgram(program, 0, NULL, "", NULL, NULL);
        if (rc != CL_SUCCESS)
                die("build", rc);
        cl_kernel k_local = clCreateKernel(program, "sort_local", &rc);
        if (rc != CL_SUCCESS)
                die("sort_local", rc);
        cl_kernel k_global = clCreateKernel(program, "merge_global", &rc);
        if (rc != CL_SUCCESS)
                die("merge_global", rc);

        cl_mem data = clCreateBuffer(ctx, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &rc);
        if (rc != CL_SUCCESS)
                die("buffer", rc);

        record_t *expected = malloc(size);
        record_t *records = clEnqueueMapBuffer(q, data, CL_TRUE, CL_MAP_WRITE, 0, size, 0, NULL, NULL, &rc);
        if (rc != CL_SUCCESS)
                die("map", rc);
        unsigned int lcg = 1u;
        for (int i = 0; i < padded; ++i) {
                record_t *r = records + i;
                lcg = lcg * 22695477u + 1u;
                r->key = i < n ? (lcg >> 16) % 500u : UINT_MAX; /* many equal keys; the padding sorts last */
                r->id = i;
                r->value = 0.25f * (lcg >> 20);
                r->parent = i / 2 - 1;
        }
        memcpy(expected, records, size);
        clEnqueueUnmapMemObject(q, data, records, 0, NULL, NULL);

        const size_t local = THREADS, half = padded / 2, all = padded;
        int first = 2, last = CHUNK;
        rc = clSetKernelArg(k_local, 0, sizeof(cl_mem), &data);
        rc |= clSetKernelArg(k_local, 1, sizeof(cl_int), &first);
        rc |= clSetKernelArg(k_local, 2, sizeof(cl_int), &last);
        rc |= clEnqueueNDRangeKernel(q, k_local, 1, NULL, &half, &local, 0, NULL, NULL);
        for (int k = 2 * CHUNK; k <= padded; k *= 2) {
                for (int j = k / 2; j >= CHUNK; j /= 2) {
                        rc |= clSetKernelArg(k_global, 0, sizeof(cl_mem), &data);
                        rc |= clSetKernelArg(k_global, 1, sizeof(cl_int), &k);
                        rc |= clSetKernelArg(k_global, 2, sizeof(cl_int), &j);
                        rc |= clEnqueueNDRangeKernel(q, k_global, 1, NULL, &all, NULL, 0, NULL, NULL);
                }
                rc |= clSetKernelArg(k_local, 1, sizeof(cl_int), &k);
                rc |= clSetKernelArg(k_local, 2, sizeof(cl_int), &k);
                rc |= clEnqueueNDRangeKernel(q, k_local, 1, NULL, &half, &local, 0, NULL, NULL);
        }
        rc |= clFinish(q);
        if (rc != CL_SUCCESS)
                die("sort", rc);

        records = clEnqueueMapBuffer(q, data, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &rc);
        if (rc != CL_SUCCESS)
                die("map", rc);
        qsort(expected, padded, sizeof(record_t), compare);
        int wrong = 0;
        unsigned int checksum = 0;
        for (int i = 0; i < padded; ++i) {
                const record_t *a = &records[i], *b = &expected[i];
                if (a->key != b->key || a->id != b->id || a->value != b->value || a->parent != b->parent)
                        ++wrong;
                checksum = checksum * 31u + a->key;
                checksum = checksum * 31u + a->id;
                checksum = checksum * 31u + (unsigned int)(4.0f * a->value);
                checksum = checksum * 31u + (unsigned int)a->parent;
        }
        printf("sorted %d records (%d with padding), checksum %08x\n", n, padded, checksum);
        if (n > 0)
                printf("first %u/%u/%.2f/%d last %u/%u/%.2f/%d\n", records[0].key, records[0].id, records[0].value,
                       records[0].parent, records[n - 1].key, records[n - 1].id, records[n - 1].value,
                       records[n - 1].parent);
        clEnqueueUnmapMemObject(q, data, records, 0, NULL, NULL);
        clFinish(q);
        printf("%s\n", wrong ? "FAILED" : "PASSED");

        free(expected);
        clReleaseMemObject(data);
        clReleaseKernel(k_local);
        clReleaseKernel(k_global);
        clReleaseProgram(program);
        clReleaseCommandQueue(q);
        clReleaseContext(ctx);
        return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
