// A chain of springs. The kernel file is a string literal that the compiler includes.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const char *kernels =
#include "springs.cl"
    ;

struct Knot {
    cl_float2 place;
    cl_float2 speed;
    float stiffness;
    int left, right; // neighbours, -1 at an end
};

static void ok(cl_int status, int line)
{
    if (status == CL_SUCCESS) return;
    std::fprintf(stderr, "line %d: OpenCL error %d\n", line, status);
    std::exit(1);
}
#define OK(status) ok(status, __LINE__)

static void reference(std::vector<Knot> &knots, float dt)
{
    std::vector<Knot> old(knots);
    const int n = (int)knots.size();
    for (int i = 0; i < n; i++)
        for (int other : {old[i].left, old[i].right})
            if (other >= 0)
                for (int c = 0; c < 2; c++)
                    knots[i].speed.s[c] += (old[other].place.s[c] - old[i].place.s[c]) * 0.5f *
                                           (old[i].stiffness + old[other].stiffness) * dt;
    for (Knot &k : knots)
        for (int c = 0; c < 2; c++) k.place.s[c] += k.speed.s[c] * dt;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 777;
    int steps = argc > 2 ? std::atoi(argv[2]) : 10;
    const float dt = 0.05f;
    if (n < 1) {
        std::puts("no knots\nPASSED");
        return 0;
    }
    std::vector<Knot> knots(n);
    for (int i = 0; i < n; i++) {
        Knot &k = knots[i];
        k.place.s[0] = (float)i + 0.01f * (i * 7 % 13);
        k.place.s[1] = 0.02f * (i * 5 % 11);
        k.speed.s[0] = k.speed.s[1] = 0.0f;
        k.stiffness = 1.0f + 0.1f * (i % 4);
        k.left = i - 1;
        k.right = i + 1 < n ? i + 1 : -1;
    }
    std::vector<Knot> expected(knots);

    cl_int status;
    cl_platform_id platform;
    cl_device_id device;
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    OK(status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    OK(status);
    cl_program program = clCreateProgramWithSource(context, 1, &kernels, nullptr, &status);
    OK(status);
    OK(clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr));
    cl_kernel accelerate = clCreateKernel(program, "accelerate", &status);
    OK(status);
    cl_kernel drift = clCreateKernel(program, "drift", &status);
    OK(status);

    const size_t bytes = knots.size() * sizeof(Knot);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    OK(status);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, knots.data(), 0, nullptr, nullptr));
    OK(clSetKernelArg(accelerate, 0, sizeof(buffer), &buffer));
    OK(clSetKernelArg(accelerate, 1, sizeof(n), &n));
    OK(clSetKernelArg(accelerate, 2, sizeof(dt), &dt));
    OK(clSetKernelArg(drift, 0, sizeof(buffer), &buffer));
    OK(clSetKernelArg(drift, 1, sizeof(n), &n));
    OK(clSetKernelArg(drift, 2, sizeof(dt), &dt));
    const size_t items = n;
    for (int step = 0; step < steps; step++) {
        OK(clEnqueueNDRangeKernel(queue, accelerate, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
        OK(clEnqueueNDRangeKernel(queue, drift, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    }
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, knots.data(), 0, nullptr, nullptr));

    for (int step = 0; step < steps; step++) reference(expected, dt);
    bool good = true;
    double places = 0.0, speeds = 0.0, rest = 0.0;
    for (int i = 0; i < n; i++) {
        const Knot &k = knots[i], &e = expected[i];
        for (int c = 0; c < 2; c++) {
            good = good && std::fabs(k.place.s[c] - e.place.s[c]) <= 1e-3f * (1.0f + std::fabs(e.place.s[c]));
            good = good && std::fabs(k.speed.s[c] - e.speed.s[c]) <= 1e-3f;
            places += (i % 5 + c) * (double)k.place.s[c];
            speeds += (i % 7 + c) * (double)k.speed.s[c];
        }
        good = good && k.left == e.left && k.right == e.right && k.stiffness == e.stiffness;
        rest += (i % 3) * (k.stiffness + k.left - 2.0 * k.right);
    }
    std::printf("%d knots, %d steps: places %.12e speeds %.12e rest %.12e\n", n, steps, places, speeds, rest);
    std::puts(good ? "PASSED" : "FAILED");

    clReleaseMemObject(buffer);
    clReleaseKernel(accelerate);
    clReleaseKernel(drift);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return good ? 0 : 1;
}
