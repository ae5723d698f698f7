// A buffer in memory of the host, mapped to be looked at between launches.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

struct counter {
    cl_int hits;
    cl_int misses;
    cl_long sum;
};

#define SUCCEED(expression)                                                        \
    do {                                                                           \
        const cl_int result = (expression);                                        \
        if (result != CL_SUCCESS) throw std::string(#expression) + ": " + std::to_string(result); \
    } while (false)

static int count_all(int count, int length)
{
    const size_t bytes = sizeof(counter) * count;
    counter *counters = static_cast<counter *>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
    int *numbers = new int[length];
    for (int i = 0; i < count; i++) counters[i] = {0, 0, 0};
    for (int k = 0; k < length; k++) numbers[k] = k * 31 % 1009;

    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    SUCCEED(clGetPlatformIDs(1, &platform, nullptr));
    SUCCEED(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &err);
    SUCCEED(err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    SUCCEED(err);
    std::ifstream file("counters.cl");
    std::string source((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const char *text = source.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &err);
    SUCCEED(err);
    SUCCEED(clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr));
    cl_kernel kernel = clCreateKernel(program, "tally", &err);
    SUCCEED(err);

    cl_mem d_counters = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, counters, &err);
    SUCCEED(err);
    cl_mem d_numbers = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(int) * length, numbers, &err);
    SUCCEED(err);
    SUCCEED(clSetKernelArg(kernel, 0, sizeof(cl_mem), &d_counters));
    SUCCEED(clSetKernelArg(kernel, 1, sizeof(int), &count));
    SUCCEED(clSetKernelArg(kernel, 2, sizeof(cl_mem), &d_numbers));
    SUCCEED(clSetKernelArg(kernel, 3, sizeof(int), &length));

    int wrong = 0;
    const size_t items = count;
    for (int round = 1; round <= 2; round++) {
        SUCCEED(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
        void *mapped = clEnqueueMapBuffer(queue, d_counters, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &err);
        SUCCEED(err);
        counter *seen = static_cast<counter *>(mapped);
        long long hits = 0, misses = 0, sum = 0;
        for (int i = 0; i < count; i++) {
            long long h = 0, s = 0;
            for (int k = 0; k < length; k++)
                if (numbers[k] % (i + 1) == 0) {
                    h++;
                    s += numbers[k];
                }
            // the host adds one hit to each after the first round
            wrong += seen[i].hits != h * round + (round - 1) || seen[i].sum != s * round ||
                     seen[i].misses != (length - h) * round;
            hits += (i % 3 + 1) * seen[i].hits;
            misses += (i % 5 + 1) * seen[i].misses;
            sum += (i % 7 + 1) * seen[i].sum;
            seen[i].hits++;
        }
        std::printf("round %d: hits %lld misses %lld sum %lld\n", round, hits, misses, sum);
        SUCCEED(clEnqueueUnmapMemObject(queue, d_counters, mapped, 0, nullptr, nullptr));
    }
    SUCCEED(clFinish(queue));

    clReleaseMemObject(d_counters);
    clReleaseMemObject(d_numbers);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    std::free(counters);
    delete[] numbers;
    return wrong;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 45;
    int wrong = 0;
    try {
        if (count > 0) wrong = count_all(count, 400);
    } catch (const std::string &what) {
        std::printf("%s\n", what.c_str());
        wrong = 1;
    }
    std::printf("%d counters\n%s\n", count, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
