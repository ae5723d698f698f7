// Advection in a slab: neighbouring work-items take neighbouring rows, so they are far apart in memory.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const char *const source = R"(
#define AT(x, y) ((y) * width + (x))

// A work-item walks along a row.
kernel void advect(global const double *restrict in, global double *restrict out, int width, int height, double speed)
{
    const int y = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (y < height) {
        for (int x = 0; x < width; x++) {
            const int left = x > 0 ? x - 1 : width - 1;
            out[AT(x, y)] = in[AT(x, y)] - speed * (in[AT(x, y)] - in[AT(left, y)]);
        }
    }
}

kernel void diffuse(global const double *restrict in, global double *restrict out, int width, int height)
{
    const int y = get_global_id(0), x = get_global_id(1);
    const int above = max(y - 1, 0), below = min(y + 1, height - 1);
    out[AT(x, y)] = 0.25 * in[AT(x, above)] + 0.5 * in[AT(x, y)] + 0.25 * in[AT(x, below)];
}
)";

static void reference(std::vector<double> &plane, int width, int height, double speed)
{
    std::vector<double> moved(plane);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int left = x > 0 ? x - 1 : width - 1;
            moved[y * width + x] = plane[y * width + x] - speed * (plane[y * width + x] - plane[y * width + left]);
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int above = y > 0 ? y - 1 : 0, below = y + 1 < height ? y + 1 : height - 1;
            plane[y * width + x] = 0.25 * moved[above * width + x] + 0.5 * moved[y * width + x]
                                 + 0.25 * moved[below * width + x];
        }
}

int main(int argc, char **argv)
{
    const int width = argc > 1 ? std::atoi(argv[1]) : 41;
    const int height = argc > 2 ? std::atoi(argv[2]) : 70;
    const int steps = argc > 3 ? std::atoi(argv[3]) : 4;
    const double speed = 0.3;
    if (width < 1 || height < 1) {
        std::printf("no slab\nPASSED\n");
        return 0;
    }
    try {
        std::vector<cl::Platform> platforms;
        cl::Platform::get(&platforms);
        std::vector<cl::Device> devices;
        platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices);
        cl::Context context(devices.at(0));
        cl::CommandQueue queue(context, devices.at(0));
        cl::Program program(context, source);
        program.build("-cl-std=CL1.2");
        cl::Kernel advect(program, "advect"), diffuse(program, "diffuse");

        std::vector<double> plane(width * height);
        for (size_t i = 0; i < plane.size(); i++) plane[i] = (double)(i * 29 % 83) / 8.0;
        std::vector<double> expected(plane);
        const size_t bytes = plane.size() * sizeof(double);
        cl::Buffer first(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, plane.data());
        cl::Buffer second(context, CL_MEM_READ_WRITE, bytes);

        advect.setArg(0, first);
        advect.setArg(1, second);
        advect.setArg(2, width);
        advect.setArg(3, height);
        advect.setArg(4, speed);
        diffuse.setArg(0, second);
        diffuse.setArg(1, first);
        diffuse.setArg(2, width);
        diffuse.setArg(3, height);
        for (int step = 0; step < steps; step++) {
            queue.enqueueNDRangeKernel(advect, cl::NullRange, cl::NDRange((height + 31) / 32 * 32), cl::NDRange(32));
            queue.enqueueNDRangeKernel(diffuse, cl::NullRange, cl::NDRange(height, width));
            reference(expected, width, height, speed);
        }
        // The last row through mapped memory.
        const size_t row = width * sizeof(double), last = bytes - row;
        double *mapped = (double *)queue.enqueueMapBuffer(first, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, last, row);
        for (int x = 0; x < width; x++) mapped[x] += 1.0;
        queue.enqueueUnmapMemObject(first, mapped);
        for (int x = 0; x < width; x++) expected[(height - 1) * width + x] += 1.0;
        cl::Event done;
        queue.enqueueReadBuffer(first, CL_FALSE, 0, bytes, plane.data(), NULL, &done);
        done.wait();

        int wrong = 0;
        double sum = 0.0;
        for (size_t i = 0; i < plane.size(); i++) {
            wrong += !(std::fabs(plane[i] - expected[i]) < 1e-9);
            sum += (i % 11 + 1) * plane[i];
        }
        std::printf("%d x %d: sum %.12e\n%s\n", width, height, sum, wrong ? "FAILED" : "PASSED");
        return wrong != 0;
    } catch (const cl::Error &error) {
        std::fprintf(stderr, "%s: %d\n", error.what(), error.err());
        return 1;
    }
}
