// Images beside a buffer of structs, with the C++ interface under its older name and without exceptions.
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/cl2.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

struct Sprite {
    float x, y;
    float size;
    cl_uint colour;
};

static const int WIDTH = 21, HEIGHT = 9;

static int clamped(int v, int high) { return v < 0 ? 0 : v > high ? high : v; }

int main(int argc, char **argv)
{
    const int given = argc > 1 ? std::atoi(argv[1]) : 150;
    if (given < 1) {
        std::printf("no sprites\nPASSED\n");
        return 0;
    }
    const cl_uint n = given;
    std::vector<float> texels(WIDTH * HEIGHT * 4), picture(WIDTH * HEIGHT * 4);
    for (size_t i = 0; i < texels.size(); i++) texels[i] = 0.25f * (i * 7 % 8);
    std::vector<Sprite> sprites(n);
    for (cl_uint i = 0; i < n; i++) {
        sprites[i].x = float(i * 5 % WIDTH);
        sprites[i].y = float(i * 3 % HEIGHT);
        sprites[i].size = 1.0f + 0.5f * (i % 4);
        sprites[i].colour = i * 1000u;
    }
    std::vector<Sprite> expected(sprites);

    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    if (platforms.empty()) return 1;
    cl::Context context(CL_DEVICE_TYPE_ALL);
    const cl::Device device = context.getInfo<CL_CONTEXT_DEVICES>()[0];
    cl::CommandQueue queue(context, device);
    std::ifstream file("sprites.cl");
    const std::string text(std::istreambuf_iterator<char>(file), (std::istreambuf_iterator<char>()));
    cl::Program program(context, text, true);
    cl_int err = CL_SUCCESS;
    cl::Kernel colour(program, "colour", &err);
    if (err != CL_SUCCESS) return std::printf("no kernel: %d\n", err), 1;
    cl::Kernel draw(program, "draw", &err);
    if (err != CL_SUCCESS) return std::printf("no kernel: %d\n", err), 1;

    const cl::ImageFormat format(CL_RGBA, CL_FLOAT);
    cl::Image2D texture(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, WIDTH, HEIGHT, 0, texels.data());
    cl::Image2D target(context, CL_MEM_WRITE_ONLY, format, WIDTH, HEIGHT);
    cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof(Sprite), sprites.data());
    colour.setArg(0, texture);
    colour.setArg(1, buffer);
    colour.setArg<cl_uint>(2, n);
    draw.setArg(0, buffer);
    draw.setArg(1, sizeof(n), &n);
    draw.setArg(2, target);
    err = queue.enqueueNDRangeKernel(colour, cl::NullRange, cl::NDRange(n));
    if (err == CL_SUCCESS) err = queue.enqueueNDRangeKernel(draw, cl::NullRange, cl::NDRange(WIDTH, HEIGHT));
    if (err == CL_SUCCESS) err = queue.enqueueReadBuffer(buffer, CL_TRUE, 0, n * sizeof(Sprite), sprites.data());
    cl::array<cl::size_type, 3> origin = {{0, 0, 0}}, region = {{(size_t)WIDTH, (size_t)HEIGHT, 1}};
    if (err == CL_SUCCESS) err = queue.enqueueReadImage(target, CL_TRUE, origin, region, 0, 0, picture.data());
    if (err != CL_SUCCESS) return std::printf("error %d\n", err), 1;

    const float weights[4] = {1.0f, 0.5f, 0.25f, 0.125f};
    int wrong = 0;
    double sizes = 0.0, drawn = 0.0;
    unsigned hash = 5;
    std::vector<float> want(picture.size());
    for (cl_uint i = 0; i < n; i++) {
        Sprite &e = expected[i];
        float sum[4] = {0, 0, 0, 0};
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 4; c++)
                sum[c] += weights[k] * texels[((int)e.y * WIDTH + clamped((int)e.x + k, WIDTH - 1)) * 4 + c];
        e.colour += (cl_uint)(sum[0] * 64.0f) + ((cl_uint)(sum[3] * 4.0f) << 24);
        e.size *= sum[1];
        float *pixel = &want[((int)e.y * WIDTH + (int)e.x) * 4];
        pixel[0] += e.size;
        pixel[1] += 1.0f;
        pixel[3] += 1.0f;
        wrong += sprites[i].x != e.x || sprites[i].y != e.y || sprites[i].size != e.size || sprites[i].colour != e.colour;
        sizes += (i % 5 + 1) * (double)sprites[i].size;
        hash = hash * 31 + sprites[i].colour;
    }
    for (size_t p = 0; p < picture.size(); p++) {
        wrong += picture[p] != want[p];
        drawn += (p % 11 + 1) * (double)picture[p];
    }
    std::printf("%u sprites: sizes %.6f hash %08x drawn %.6f\n%s\n", n, sizes, hash, drawn, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
