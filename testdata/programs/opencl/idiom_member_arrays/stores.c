#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    cl_short shelf;
    cl_uchar level;
} place_t;

typedef struct {
    cl_char kind;
    place_t place;
    cl_int stock[3];
    cl_double price;
    cl_uchar flags;
    cl_long sold;
    cl_ushort codes[2][2];
} store_t;

static void quit(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 130, order_count = 20 * n;
    if (n <= 0) {
        puts("no stores\nPASSED");
        return 0;
    }
    store_t *stores = calloc(n, sizeof(store_t)), *expected = calloc(n, sizeof(store_t));
    int *orders = malloc(order_count * sizeof(int));
    for (int i = 0; i < n; i++) {
        store_t *s = stores + i;
        s->kind = "abc"[i % 3];
        s->place.shelf = i % 300;
        s->place.level = i % 9;
        for (int k = 0; k < 3; k++)
            s->stock[k] = 100 + k;
        s->price = 0.99 + i;
        s->flags = i & 15;
        for (int k = 0; k < 4; k++)
            s->codes[k / 2][k % 2] = 4 * i + k;
    }
    for (int o = 0; o < order_count; o++)
        orders[o] = (int)(o * 2654435761u >> 8);
    memcpy(expected, stores, n * sizeof(store_t));

    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
        quit("no platform");
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        quit("no device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (!context)
        quit("no context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    if (!queue)
        quit("no queue");
    FILE *file = fopen("./stores.cl", "r");
    if (!file)
        quit("no stores.cl");
    char source[8192];
    size_t length = fread(source, 1, sizeof(source), file);
    fclose(file);
    const char *sources[] = {source};
    cl_program program = clCreateProgramWithSource(context, 1, sources, &length, &err);
    if (clBuildProgram(program, 1, &device, NULL, NULL, NULL) != CL_SUCCESS)
        quit("does not build");
    cl_kernel sell = clCreateKernel(program, "sell", &err);
    cl_kernel book = clCreateKernel(program, "book", &err);
    if (!sell || !book)
        quit("no kernel");

    cl_mem d_stores = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(*stores), NULL, &err);
    cl_mem d_orders = clCreateBuffer(context, CL_MEM_READ_ONLY, order_count * sizeof(*orders), NULL, &err);
    if (!d_stores || !d_orders)
        quit("no memory");
    clEnqueueWriteBuffer(queue, d_stores, CL_TRUE, 0, n * sizeof(*stores), stores, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, d_orders, CL_TRUE, 0, order_count * sizeof(*orders), orders, 0, NULL, NULL);
    clSetKernelArg(sell, 0, sizeof(d_stores), &d_stores);
    clSetKernelArg(sell, 1, sizeof(n), &n);
    clSetKernelArg(sell, 2, sizeof(d_orders), &d_orders);
    clSetKernelArg(sell, 3, sizeof(order_count), &order_count);
    clSetKernelArg(book, 0, sizeof(d_stores), &d_stores);
    clSetKernelArg(book, 1, sizeof(n), &n);
    size_t global = order_count;
    if (clEnqueueNDRangeKernel(queue, sell, 1, NULL, &global, NULL, 0, NULL, NULL) != CL_SUCCESS)
        quit("sell does not start");
    global = n;
    if (clEnqueueNDRangeKernel(queue, book, 1, NULL, &global, NULL, 0, NULL, NULL) != CL_SUCCESS)
        quit("book does not start");
    clEnqueueReadBuffer(queue, d_stores, CL_TRUE, 0, n * sizeof(*stores), stores, 0, NULL, NULL);

    for (int o = 0; o < order_count; o++) {
        store_t *s = &expected[orders[o] % n];
        s->stock[orders[o] % 3]--;
        s->stock[2] |= 1 << 20;
    }
    int wrong = 0;
    unsigned long long hash = 1469598103934665603ull;
    for (int i = 0; i < n; i++) {
        store_t *e = &expected[i], *s = &stores[i];
        e->sold = 1000 - ((long long)e->stock[0] + e->stock[1] + e->stock[2]);
        e->price *= e->kind == 'a' ? 0.5 : 2.0;
        e->place.shelf = -e->place.shelf;
        e->place.level++;
        e->flags |= 0x80;
        wrong += s->kind != e->kind || s->place.shelf != e->place.shelf || s->place.level != e->place.level ||
                 s->price != e->price || s->flags != e->flags || s->sold != e->sold;
        hash = (hash ^ (unsigned char)s->kind) * 1099511628211ull;
        hash = (hash ^ (unsigned short)s->place.shelf ^ s->place.level << 16 ^ s->flags << 24) * 1099511628211ull;
        hash = (hash ^ s->sold ^ (unsigned long long)(s->price * 100)) * 1099511628211ull;
        for (int k = 0; k < 3; k++) {
            wrong += s->stock[k] != e->stock[k];
            hash = (hash ^ s->stock[k]) * 1099511628211ull;
        }
        for (int k = 0; k < 4; k++) {
            cl_ushort code = e->codes[k / 2][k % 2] + e->place.shelf * (k / 2) + e->place.level * (k % 2);
            wrong += s->codes[k / 2][k % 2] != code;
            hash = (hash ^ s->codes[k / 2][k % 2]) * 1099511628211ull;
        }
    }
    printf("%d stores, hash %016llx\n%s\n", n, hash, wrong ? "FAILED" : "PASSED");

    clReleaseMemObject(d_stores);
    clReleaseMemObject(d_orders);
    clReleaseKernel(sell);
    clReleaseKernel(book);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(stores);
    free(expected);
    free(orders);
    return wrong != 0;
}
