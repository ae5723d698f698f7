// A struct per cell of a plane; the two planes are an array of buffers.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct Water {
    float height;
    float speed;
    int wall;
};

static const int TILE = 8;

static void must(cl_int err, const std::string &what)
{
    if (err == CL_SUCCESS) return;
    std::fprintf(stderr, "%s: %d\n", what.c_str(), err);
    std::exit(1);
}

static void reference(std::vector<Water> &plane, int width, int height, float dt)
{
    const std::vector<Water> in(plane);
    auto at = [&](int x, int y) {
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        return (double)in[y * width + x].height;
    };
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            Water &w = plane[y * width + x];
            if (w.wall) continue;
            w.speed += dt * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4.0 * at(x, y));
            w.height += dt * w.speed;
        }
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? std::atoi(argv[1]) : 45;
    int height = argc > 2 ? std::atoi(argv[2]) : 27;
    int steps = argc > 3 ? std::atoi(argv[3]) : 12;
    const float dt = 0.2f;
    if (width < 1 || height < 1) {
        std::printf("no water\nPASSED\n");
        return 0;
    }
    std::vector<Water> plane(width * height);
    for (int i = 0; i < width * height; i++) {
        plane[i].height = i * 31 % 17 == 0 ? 2.0f : 1.0f;
        plane[i].speed = 0.0f;
        plane[i].wall = i * 7 % 19 == 3;
    }
    std::vector<Water> expected(plane);

    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    must(err, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    must(err, "queue");
    std::ifstream file("waves.cl");
    std::stringstream contents;
    contents << file.rdbuf();
    const std::string text = contents.str();
    const char *pointer = text.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &pointer, NULL, &err);
    must(err, "program");
    const std::string options = "-DTILE=" + std::to_string(TILE);
    must(clBuildProgram(program, 1, &device, options.c_str(), NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "wave", &err);
    must(err, "kernel");

    const size_t bytes = plane.size() * sizeof(Water);
    cl_mem planes[2];
    for (int k = 0; k < 2; k++) {
        planes[k] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
        must(err, "buffer");
    }
    must(clEnqueueWriteBuffer(queue, planes[0], CL_TRUE, 0, bytes, plane.data(), 0, NULL, NULL), "write");

    const size_t global[2] = {(size_t)(width + TILE - 1) / TILE * TILE, (size_t)(height + TILE - 1) / TILE * TILE};
    const size_t local[2] = {(size_t)TILE, (size_t)TILE};
    for (int step = 0; step < steps; step++) {
        must(clSetKernelArg(kernel, 0, sizeof(cl_mem), &planes[step % 2]), "argument 0");
        must(clSetKernelArg(kernel, 1, sizeof(cl_mem), &planes[(step + 1) % 2]), "argument 1");
        must(clSetKernelArg(kernel, 2, sizeof(int), &width), "argument 2");
        must(clSetKernelArg(kernel, 3, sizeof(int), &height), "argument 3");
        must(clSetKernelArg(kernel, 4, sizeof(float), &dt), "argument 4");
        must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "wave");
    }
    must(clEnqueueReadBuffer(queue, planes[steps % 2], CL_TRUE, 0, bytes, plane.data(), 0, NULL, NULL), "read");

    for (int step = 0; step < steps; step++) reference(expected, width, height, dt);
    int wrong = 0, walls = 0;
    double heights = 0.0, speeds = 0.0;
    for (size_t i = 0; i < plane.size(); i++) {
        wrong += !(std::fabs(plane[i].height - expected[i].height) < 1e-4f) ||
                 !(std::fabs(plane[i].speed - expected[i].speed) < 1e-4f) || plane[i].wall != expected[i].wall;
        heights += (i % 7 + 1) * (double)plane[i].height;
        speeds += (i % 5 + 1) * (double)plane[i].speed;
        walls += plane[i].wall;
    }
    std::printf("%d x %d: heights %.12e speeds %.12e walls %d\n", width, height, heights, speeds, walls);
    std::printf("%s\n", wrong ? "FAILED" : "PASSED");
    for (int k = 0; k < 2; k++) clReleaseMemObject(planes[k]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong ? 1 : 0;
}
