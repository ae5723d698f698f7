/* The host maps parts of a buffer of accounts: to open them, to change a few, and to read them. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 3
#define PER_ACCOUNT 4

typedef struct _account {
    cl_long balance;
    cl_int entries;
    cl_int largest;
} Account;

static cl_context context;
static cl_command_queue queue;
static cl_kernel post;
static cl_program program;

static void check(cl_int err, const char *what)
{
    if (err) {
        printf("%s: error %d\n", what, err);
        exit(1);
    }
}

static void open_device(void)
{
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "context");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "queue");

    FILE *file = fopen("ledger.cl", "rb");
    if (!file) {
        printf("ledger.cl is missing\n");
        exit(1);
    }
    char buffer[4096] = {0};
    fread(buffer, 1, sizeof(buffer) - 1, file);
    fclose(file);
    const char *source = buffer;
    program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    check(err, "program");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
    post = clCreateKernel(program, "post", &err);
    check(err, "kernel");
}

static Account *map_accounts(cl_mem accounts, cl_map_flags flags, size_t first, size_t count)
{
    cl_int err;
    Account *mapped = (Account *)clEnqueueMapBuffer(queue, accounts, CL_TRUE, flags, first * sizeof(Account),
                                                    count * sizeof(Account), 0, NULL, NULL, &err);
    check(err, "map");
    return mapped;
}

static int amount(int round, int k, int a)
{
    return (round * 37 + k * 11 + a * 5) % 201 - 100;
}

int main(int argc, char **argv)
{
    cl_uint n = argc > 1 ? (cl_uint)atoi(argv[1]) : 250, per_account = PER_ACCOUNT;
    cl_int err;
    if (n == 0) {
        printf("no accounts\nPASSED\n");
        return 0;
    }
    open_device();

    int *amounts = (int *)malloc(n * PER_ACCOUNT * sizeof(int));
    cl_mem d_amounts = clCreateBuffer(context, CL_MEM_READ_ONLY, n * PER_ACCOUNT * sizeof(int), NULL, &err);
    check(err, "amounts");
    cl_mem d_accounts = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, n * sizeof(Account), NULL, &err);
    check(err, "accounts");

    Account *opened = map_accounts(d_accounts, CL_MAP_WRITE_INVALIDATE_REGION, 0, n);
    for (cl_uint a = 0; a < n; a++) {
        opened[a].balance = 1000 + a;
        opened[a].entries = 0;
        opened[a].largest = -1000;
    }
    check(clEnqueueUnmapMemObject(queue, d_accounts, opened, 0, NULL, NULL), "unmap");

    check(clSetKernelArg(post, 0, sizeof(cl_mem), (void *)&d_accounts), "argument 0");
    check(clSetKernelArg(post, 1, sizeof(cl_uint), (void *)&n), "argument 1");
    check(clSetKernelArg(post, 2, sizeof(cl_mem), (void *)&d_amounts), "argument 2");
    check(clSetKernelArg(post, 3, sizeof(cl_uint), (void *)&per_account), "argument 3");
    size_t global = n;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < PER_ACCOUNT; k++)
            for (cl_uint a = 0; a < n; a++)
                amounts[k * n + a] = amount(round, k, a);
        check(clEnqueueWriteBuffer(queue, d_amounts, CL_TRUE, 0, n * PER_ACCOUNT * sizeof(int), amounts, 0, NULL, NULL), "write");
        check(clEnqueueNDRangeKernel(queue, post, 1, NULL, &global, NULL, 0, NULL, NULL), "post");
        /* a fee for every second account of the middle third */
        size_t first = n / 3, count = n / 3;
        if (count > 0) {
            Account *middle = map_accounts(d_accounts, CL_MAP_READ | CL_MAP_WRITE, first, count);
            for (size_t i = 0; i < count; i += 2)
                middle[i].balance -= 7;
            check(clEnqueueUnmapMemObject(queue, d_accounts, middle, 0, NULL, NULL), "unmap");
        }
    }

    const Account *accounts = map_accounts(d_accounts, CL_MAP_READ, 0, n);
    int wrong = 0;
    long long balance = 0, entries = 0, largest = 0;
    for (cl_uint a = 0; a < n; a++) {
        long long b = 1000 + a;
        int l = -1000;
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = 0; k < PER_ACCOUNT; k++) {
                b += amount(round, k, a);
                l = amount(round, k, a) > l ? amount(round, k, a) : l;
            }
            if (a >= n / 3 && a < n / 3 + n / 3 && (a - n / 3) % 2 == 0)
                b -= 7;
        }
        wrong += accounts[a].balance != b || accounts[a].entries != ROUNDS * PER_ACCOUNT || accounts[a].largest != l;
        balance += (a % 4 + 1) * accounts[a].balance;
        entries += (a % 3 + 1) * accounts[a].entries;
        largest += (a % 6 + 1) * accounts[a].largest;
    }
    check(clEnqueueUnmapMemObject(queue, d_accounts, (void *)accounts, 0, NULL, NULL), "unmap");
    check(clFinish(queue), "finish");
    printf("%u accounts: balance %lld entries %lld largest %lld\n", n, balance, entries, largest);
    printf(wrong ? "FAILED\n" : "PASSED\n");

    clReleaseMemObject(d_accounts);
    clReleaseMemObject(d_amounts);
    clReleaseKernel(post);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(amounts);
    return wrong ? 1 : 0;
}
