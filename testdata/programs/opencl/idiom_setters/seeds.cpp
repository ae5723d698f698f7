// Templates that set arguments, and functors of the C++ interface.
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

struct Seed {
    cl_float height, growth;
    cl_int bed;
};

struct Bed {
    cl_double sum;
    cl_int count, first;
};

static const char *const source = R"(
#define KERNEL __kernel void
#define GLOBAL __global

typedef struct { float height, growth; int bed; } Seed;
typedef struct { double sum; int count, first; } Bed;

KERNEL grow(GLOBAL Seed *seeds, float days, int n)
{
    int i = get_global_id(0);
    if (i < n) seeds[i].height += days * seeds[i].growth;
}

KERNEL harvest(GLOBAL Bed *beds, GLOBAL const Seed *seeds, int n)
{
    int b = get_global_id(0);
    for (int i = n - 1; i >= 0; i--)
        if (seeds[i].bed == b) {
            beds[b].sum += seeds[i].height;
            beds[b].count++;
            beds[b].first = i;
        }
}

KERNEL thin(GLOBAL Seed *seeds, GLOBAL const Bed *beds, int n)
{
    int i = get_global_id(0);
    if (i < n && beds[seeds[i].bed].first == i) seeds[i].growth = 0.0f;
}
)";

static void check(cl_int error)
{
    if (error != CL_SUCCESS) {
        std::fprintf(stderr, "error %d\n", error);
        std::exit(1);
    }
}

template <class T>
static void set_argument(cl::Kernel &kernel, cl_uint index, const T &value)
{
    check(kernel.setArg(index, value));
}

template <typename A, typename B, typename C>
static void set_all(cl_kernel kernel, const A &a, const B &b, const C &c)
{
    check(clSetKernelArg(kernel, 0, sizeof(A), &a));
    check(clSetKernelArg(kernel, 1, sizeof(B), &b));
    check(clSetKernelArg(kernel, 2, sizeof(C), &c));
}

static const int beds_of_all = 8;

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 250;
    if (n < 1) {
        std::printf("no seeds\nPASSED\n");
        return 0;
    }
    std::vector<Seed> seeds(n);
    std::vector<Bed> beds(beds_of_all, Bed{0, 0, -1});
    for (int i = 0; i < n; i++) {
        seeds[i].height = i * 5 % 32;
        seeds[i].growth = 0.25f * (i * 3 % 16);
        seeds[i].bed = i * 11 % beds_of_all;
    }
    std::vector<Seed> want(seeds);
    std::vector<Bed> sums(beds);

    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context, context.getInfo<CL_CONTEXT_DEVICES>().front());
    cl::Program program(context, source);
    check(program.build(""));
    cl::Buffer d_seeds(context, CL_MEM_READ_WRITE, n * sizeof(Seed));
    cl::Buffer d_beds(context, CL_MEM_READ_WRITE, beds_of_all * sizeof(Bed));
    check(queue.enqueueWriteBuffer(d_seeds, CL_TRUE, 0, n * sizeof(Seed), seeds.data()));
    check(queue.enqueueWriteBuffer(d_beds, CL_TRUE, 0, beds_of_all * sizeof(Bed), beds.data()));

    cl::Kernel grow(program, "grow");
    set_argument(grow, 0, d_seeds);
    set_argument(grow, 1, 2.0f);
    set_argument(grow, 2, n);
    check(queue.enqueueNDRangeKernel(grow, cl::NullRange, cl::NDRange(n), cl::NullRange));

    cl_int error;
    cl_kernel harvest = clCreateKernel(program(), "harvest", &error);
    cl_mem of_beds = d_beds(), of_seeds = d_seeds();
    set_all(harvest, of_beds, of_seeds, n);
    const size_t all = beds_of_all;
    check(clEnqueueNDRangeKernel(queue(), harvest, 1, nullptr, &all, nullptr, 0, nullptr, nullptr));

    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl_int> thin(program, "thin");
    thin(cl::EnqueueArgs(queue, cl::NDRange(n)), d_seeds, d_beds, n);
    auto again = cl::KernelFunctor<cl::Buffer, cl_float, cl_int>(program, "grow");
    again(cl::EnqueueArgs(queue, cl::NDRange(n)), d_seeds, 1.0f, n);

    check(queue.enqueueReadBuffer(d_seeds, CL_TRUE, 0, n * sizeof(Seed), seeds.data()));
    check(queue.enqueueReadBuffer(d_beds, CL_TRUE, 0, beds_of_all * sizeof(Bed), beds.data()));

    int wrong = 0;
    double sum = 0;
    for (int i = n - 1; i >= 0; i--) {
        want[i].height += 2.0f * want[i].growth;
        Bed &bed = sums[want[i].bed];
        bed.sum += want[i].height;
        bed.count++;
        bed.first = i;
    }
    for (int i = 0; i < n; i++) {
        if (sums[want[i].bed].first == i) want[i].growth = 0;
        want[i].height += want[i].growth;
        wrong += seeds[i].height != want[i].height || seeds[i].growth != want[i].growth || seeds[i].bed != want[i].bed;
        sum += (i % 5 + 1) * seeds[i].height;
    }
    for (int b = 0; b < beds_of_all; b++) {
        wrong += beds[b].sum != sums[b].sum || beds[b].count != sums[b].count || beds[b].first != sums[b].first;
        sum += (b + 1) * beds[b].sum;
    }
    std::printf("%d seeds: %.4f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    clReleaseKernel(harvest);
    return wrong != 0;
}
