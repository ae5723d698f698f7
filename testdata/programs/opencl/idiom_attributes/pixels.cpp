// A packed struct and an aligned one, from a header that kernels include too.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pixels.h"

static_assert(sizeof(Pixel) == 7, "packed");
static_assert(sizeof(Bin) == 32, "aligned");

static const char *const source = R"(
#include "pixels.h"

// one work-item for each bin, so that sums have one order
__kernel void histogram(__global const Pixel *pixels, const int n, __global Bin *bins)
{
    const int bin = get_global_id(0);
    float4 sum = (float4)(0.0f);
    float weight = 0.0f;
    for (int i = 0; i < n; i++) {
        if (bin_of(&pixels[i]) != bin) continue;
        sum += (float4)(pixels[i].r, pixels[i].g, pixels[i].b, pixels[i].depth);
        weight += 1.0f;
    }
    bins[bin].sum = sum;
    bins[bin].weight = weight;
}

__kernel void shade(__global Pixel *pixels, const int n, __global const Bin *bins)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    const Bin bin = bins[pixels[i].r * BINS / 256];
    pixels[i].depth -= bin.sum.w / bin.weight;
    pixels[i].g = (uchar)(255 - pixels[i].g);
}
)";

#define CL(call)                                                           \
    do {                                                                   \
        cl_int e = call;                                                   \
        if (e) { std::printf("%s: %d\n", #call, e); std::exit(1); }        \
    } while (0)

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 600;
    if (n < 1) {
        std::printf("no pixels\nPASSED\n");
        return 0;
    }
    std::vector<Pixel> pixels(n);
    for (int i = 0; i < n; i++) {
        pixels[i].r = i * 37;
        pixels[i].g = i * 11;
        pixels[i].b = i * 3;
        pixels[i].depth = 0.125f * (i % 64);
    }
    const std::vector<Pixel> before = pixels;
    Bin bins[BINS];

    cl_int e;
    cl_platform_id platform;
    cl_device_id device;
    CL(clGetPlatformIDs(1, &platform, NULL));
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &e);
    CL(clBuildProgram(program, 1, &device, "-I. -DUNUSED=1", NULL, NULL));
    cl_kernel histogram = clCreateKernel(program, "histogram", &e);
    cl_kernel shade = clCreateKernel(program, "shade", &e);

    cl_mem d_pixels = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(Pixel) * pixels.size(), NULL, &e);
    cl_mem d_bins = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof bins, NULL, &e);
    CL(clEnqueueWriteBuffer(queue, d_pixels, CL_TRUE, 0, sizeof(Pixel) * pixels.size(), &pixels[0], 0, NULL, NULL));
    CL(clSetKernelArg(histogram, 0, sizeof(cl_mem), &d_pixels));
    CL(clSetKernelArg(histogram, 1, sizeof n, &n));
    CL(clSetKernelArg(histogram, 2, sizeof(cl_mem), &d_bins));
    CL(clSetKernelArg(shade, 0, sizeof(cl_mem), &d_pixels));
    CL(clSetKernelArg(shade, 1, sizeof n, &n));
    CL(clSetKernelArg(shade, 2, sizeof(cl_mem), &d_bins));
    const size_t bin_count = BINS, pixel_count = n;
    CL(clEnqueueNDRangeKernel(queue, histogram, 1, NULL, &bin_count, NULL, 0, NULL, NULL));
    CL(clEnqueueNDRangeKernel(queue, shade, 1, NULL, &pixel_count, NULL, 0, NULL, NULL));
    CL(clEnqueueReadBuffer(queue, d_pixels, CL_TRUE, 0, sizeof(Pixel) * pixels.size(), pixels.data(), 0, NULL, NULL));
    CL(clEnqueueReadBuffer(queue, d_bins, CL_TRUE, 0, sizeof bins, bins, 0, NULL, NULL));

    Bin want[BINS] = {};
    for (const Pixel &p : before) {
        Bin &bin = want[bin_of(&p)];
        bin.sum.s[0] += p.r;
        bin.sum.s[1] += p.g;
        bin.sum.s[2] += p.b;
        bin.sum.s[3] += p.depth;
        bin.weight += 1.0f;
    }
    int wrong = 0;
    double sums[3] = {0, 0, 0};
    for (int k = 0; k < BINS; k++) {
        for (int c = 0; c < 4; c++) wrong += bins[k].sum.s[c] != want[k].sum.s[c];
        wrong += bins[k].weight != want[k].weight;
        sums[0] += (k + 1) * (bins[k].sum.s[0] + 2.0 * bins[k].sum.s[1] + 3.0 * bins[k].sum.s[2] + bins[k].sum.s[3]);
    }
    for (int i = 0; i < n; i++) {
        const Bin &bin = want[before[i].r * BINS / 256];
        const float depth = before[i].depth - bin.sum.s[3] / bin.weight;
        const float off = pixels[i].depth - depth;
        wrong += !(off < 1e-5f && off > -1e-5f);
        wrong += pixels[i].r != before[i].r || pixels[i].g != 255 - before[i].g || pixels[i].b != before[i].b;
        sums[1] += (i % 5 + 1) * (double)pixels[i].depth;
        sums[2] += (i % 7 + 1) * (pixels[i].r + 2 * pixels[i].g + 3 * pixels[i].b);
    }
    std::printf("%d pixels: %.3f %.9e %.0f\n%s\n", n, sums[0], sums[1], sums[2], wrong ? "FAILED" : "PASSED");

    clReleaseMemObject(d_pixels);
    clReleaseMemObject(d_bins);
    clReleaseKernel(histogram);
    clReleaseKernel(shade);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong ? 1 : 0;
}
