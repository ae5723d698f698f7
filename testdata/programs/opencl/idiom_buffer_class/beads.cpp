// A class makes the buffer, fills it, hands it to kernels and releases it.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

struct Bead {
    float x;
    float v;
    int hits;
};

static const char *const TEXT = R"(
typedef struct {
    float x;
    float v;
    int hits;
} Bead;

__kernel void slide(__global Bead *beads, float width, int count)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    __global Bead *bead = &beads[i];
    bead->x += bead->v;
    if (bead->x < 0.0f || bead->x > width) {
        bead->v = -bead->v;
        bead->hits++;
    }
}

__kernel void follow(__global const Bead *ahead, __global Bead *behind, int count)
{
    const int i = get_global_id(0);
    if (i < count) behind[i].v = 0.5f * (behind[i].v + ahead[i].v);
}
)";

static void ensure(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) throw std::runtime_error(what);
}

class DeviceBeads {
    cl_mem memory;
    size_t count;

public:
    DeviceBeads(cl_context context, size_t beads) : count(beads)
    {
        cl_int status;
        memory = clCreateBuffer(context, CL_MEM_READ_WRITE, beads * sizeof(Bead), nullptr, &status);
        ensure(status, "buffer");
    }
    DeviceBeads(const DeviceBeads &) = delete;
    DeviceBeads &operator=(const DeviceBeads &) = delete;
    ~DeviceBeads() { clReleaseMemObject(memory); }

    void write(cl_command_queue queue, const Bead *beads)
    {
        ensure(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, count * sizeof(Bead), beads, 0, nullptr, nullptr), "write");
    }

    void read(cl_command_queue queue, size_t first, size_t n, Bead *beads) const
    {
        const size_t offset = first * sizeof(Bead);
        ensure(clEnqueueReadBuffer(queue, memory, CL_TRUE, offset, n * sizeof(Bead), beads, 0, nullptr, nullptr), "read");
    }

    const cl_mem *handle() const { return &memory; }
};

static int run(int n, int steps)
{
    const float width = 6.0f;
    std::vector<Bead> ahead(n), behind(n);
    for (int i = 0; i < n; i++) {
        ahead[i] = {0.25f * (i % 24), 0.5f * (i % 5) - 1.0f, 0};
        behind[i] = {0.5f * (i % 12), 0.25f, i % 3};
    }
    std::vector<Bead> want_ahead(ahead), want_behind(behind);

    cl_int status;
    cl_platform_id platform;
    cl_device_id device;
    ensure(clGetPlatformIDs(1, &platform, nullptr), "platform");
    ensure(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    const char *text = TEXT;
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    ensure(clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr), "build");
    cl_kernel slide = clCreateKernel(program, "slide", &status), follow = clCreateKernel(program, "follow", &status);
    {
        DeviceBeads d_ahead(context, n), d_behind{context, static_cast<size_t>(n)};
        d_ahead.write(queue, ahead.data());
        d_behind.write(queue, behind.data());
        const size_t global = n;
        for (int step = 0; step < steps; step++) {
            ensure(clSetKernelArg(slide, 0, sizeof(cl_mem), d_ahead.handle()), "slide 0");
            ensure(clSetKernelArg(slide, 1, sizeof(width), &width), "slide 1");
            ensure(clSetKernelArg(slide, 2, sizeof(n), &n), "slide 2");
            ensure(clEnqueueNDRangeKernel(queue, slide, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), "slide");
            ensure(clSetKernelArg(follow, 0, sizeof(cl_mem), d_ahead.handle()), "follow 0");
            ensure(clSetKernelArg(follow, 1, sizeof(cl_mem), d_behind.handle()), "follow 1");
            ensure(clSetKernelArg(follow, 2, sizeof(n), &n), "follow 2");
            ensure(clEnqueueNDRangeKernel(queue, follow, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), "follow");
            ensure(clSetKernelArg(slide, 0, sizeof(cl_mem), d_behind.handle()), "slide 0");
            ensure(clEnqueueNDRangeKernel(queue, slide, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), "slide");
        }
        d_ahead.read(queue, 0, n, ahead.data());
        // In two parts.
        d_behind.read(queue, 0, n / 2, behind.data());
        d_behind.read(queue, n / 2, n - n / 2, behind.data() + n / 2);
    }
    clReleaseKernel(slide);
    clReleaseKernel(follow);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);

    const auto slid = [&](Bead &bead) {
        bead.x += bead.v;
        if (bead.x < 0.0f || bead.x > width) {
            bead.v = -bead.v;
            bead.hits++;
        }
    };
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++) {
            slid(want_ahead[i]);
            want_behind[i].v = 0.5f * (want_behind[i].v + want_ahead[i].v);
            slid(want_behind[i]);
        }
    }
    int wrong = 0, hits = 0;
    double places = 0.0;
    for (int i = 0; i < n; i++) {
        for (const auto &pair : {std::make_pair(&ahead[i], &want_ahead[i]), std::make_pair(&behind[i], &want_behind[i])}) {
            wrong += pair.first->x != pair.second->x || pair.first->v != pair.second->v || pair.first->hits != pair.second->hits;
        }
        places += (i % 7 + 1) * (ahead[i].x + 2.0 * behind[i].x + behind[i].v);
        hits += (i % 3 + 1) * (ahead[i].hits + 2 * behind[i].hits);
    }
    std::printf("places %.6f hits %d\n", places, hits);
    return wrong;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 257;
    int wrong = 0;
    try {
        if (n > 0) wrong = run(n, 6);
    } catch (const std::exception &error) {
        std::printf("%s\n", error.what());
        wrong = 1;
    }
    std::printf("%d beads\n%s\n", n, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
