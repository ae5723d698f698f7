// A triangulated height field that sinks: areas and heights of triangles from the coordinates of their corners, which
// are three buffers, and each coordinate is read through the list of corners.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const char *const kernels = R"(
__kernel void measure(__global const float *px, __global const float *py, __global const float *pz,
                      __global const int *corner, __global float *area, __global float *height, int triangles)
{
    int t = get_global_id(0);
    if (t >= triangles)
        return;
    float ux = px[corner[t + triangles]] - px[corner[t]], vx = px[corner[t + 2 * triangles]] - px[corner[t]];
    float uy = py[corner[t + triangles]] - py[corner[t]], vy = py[corner[t + 2 * triangles]] - py[corner[t]];
    float uz = pz[corner[t + triangles]] - pz[corner[t]], vz = pz[corner[t + 2 * triangles]] - pz[corner[t]];
    float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    area[t] = 0.5f * sqrt(nx * nx + ny * ny + nz * nz);
    height[t] = (pz[corner[t]] + pz[corner[t + triangles]] + pz[corner[t + 2 * triangles]]) * 0.25f;
}

__kernel void sink(__global float *pz, int points)
{
    int p = get_global_id(0);
    if (p < points)
        pz[p] *= 0.5f;
}
)";

static int simulate(const int side, const int rounds)
{
    const int points = side * side, triangles = 2 * (side - 1) * (side - 1);
    std::vector<float> px(points), py(points), pz(points), area(triangles), height(triangles);
    std::vector<int> corner(3 * triangles);
    for (int p = 0; p < points; p++) {
        px[p] = p % side;
        py[p] = p / side;
        pz[p] = (p * 7 % 16) * 0.5f;
    }
    for (int t = 0; t < triangles; t++) {
        // In an order that is far from that of the points.
        int cell = (int)(((long long)(t / 2) * 7919) % (triangles / 2)), p = cell / (side - 1) * side + cell % (side - 1);
        corner[t] = t % 2 ? p + side + 1 : p;
        corner[t + triangles] = p + 1;
        corner[t + 2 * triangles] = p + side;
    }

    cl::Context context(CL_DEVICE_TYPE_ALL);
    std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>();
    cl::CommandQueue queue(context, devices.front());
    cl::Program program(context, kernels);
    program.build();
    cl::Kernel measure(program, "measure"), sink(program, "sink");

    const size_t bytes = points * sizeof(float);
    cl::Buffer d_px(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, px.data());
    cl::Buffer d_py(context, CL_MEM_READ_ONLY, bytes);
    cl::Buffer d_pz(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, pz.data());
    cl::Buffer d_corner(context, CL_MEM_READ_ONLY, 3 * triangles * sizeof(int));
    cl::Buffer d_area(context, CL_MEM_WRITE_ONLY, triangles * sizeof(float));
    cl::Buffer d_height(context, CL_MEM_WRITE_ONLY, triangles * sizeof(float));
    cl::Event written;
    queue.enqueueWriteBuffer(d_py, CL_FALSE, 0, bytes, py.data(), nullptr, &written);
    queue.enqueueWriteBuffer(d_corner, CL_TRUE, 0, 3 * triangles * sizeof(int), corner.data());
    written.wait();

    measure.setArg(0, d_px);
    measure.setArg(1, d_py);
    measure.setArg(2, d_pz);
    measure.setArg(3, d_corner);
    measure.setArg(4, d_area);
    measure.setArg(5, d_height);
    measure.setArg(6, triangles);
    sink.setArg(0, d_pz);
    sink.setArg(1, points);
    double sum = 0;
    bool good = true;
    for (int round = 0; round < rounds; round++) {
        queue.enqueueNDRangeKernel(measure, cl::NullRange, cl::NDRange(triangles));
        queue.enqueueNDRangeKernel(sink, cl::NullRange, cl::NDRange(points));
        queue.enqueueReadBuffer(d_area, CL_TRUE, 0, triangles * sizeof(float), area.data());
        queue.enqueueReadBuffer(d_height, CL_TRUE, 0, triangles * sizeof(float), height.data());
        for (int t = 0; t < triangles; t++) {
            int a = corner[t], b = corner[t + triangles], c = corner[t + 2 * triangles];
            float uz = pz[b] - pz[a], vz = pz[c] - pz[a];
            float ux = px[b] - px[a], uy = py[b] - py[a], vx = px[c] - px[a], vy = py[c] - py[a];
            float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
            float expected = 0.5f * std::sqrt(nx * nx + ny * ny + nz * nz);
            good = good && std::fabs(area[t] - expected) <= 1e-4f * (1 + expected);
            good = good && height[t] == (pz[a] + pz[b] + pz[c]) * 0.25f;
            sum += area[t] * (1 + t % 7) + height[t];
        }
        for (float &z : pz)
            z *= 0.5f;
    }
    // The end of it, and what stands in front.
    const size_t last = bytes / 2 / sizeof(float) * sizeof(float);
    std::vector<float> end(points);
    queue.enqueueReadBuffer(d_pz, CL_TRUE, last, bytes - last, end.data() + last / sizeof(float));
    float *front = static_cast<float *>(queue.enqueueMapBuffer(d_pz, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, last));
    for (size_t p = 0; p < last / sizeof(float); p++)
        end[p] = front[p], front[p] = 1;
    queue.enqueueUnmapMemObject(d_pz, front);
    for (int p = 0; p < points; p++)
        good = good && end[p] == pz[p];
    queue.enqueueReadBuffer(d_pz, CL_TRUE, 0, bytes, end.data());
    for (int p = 0; p < points; p++)
        good = good && end[p] == (p < points / 2 ? 1 : pz[p]);
    std::printf("%.4f\n", sum);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 33, rounds = argc > 2 ? atoi(argv[2]) : 2;
    int wrong = 0;
    try {
        if (side > 1)
            wrong = simulate(side, rounds);
        else
            std::printf("no triangles\n");
    } catch (const cl::Error &error) {
        std::fprintf(stderr, "%s: %d\n", error.what(), error.err());
        return 2;
    }
    std::printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong;
}
