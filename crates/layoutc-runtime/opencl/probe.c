// Says which OpenCL devices there are: one line for each, behind one that says whether the C++ headers are there.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

#ifdef __has_include
#if __has_include(<CL/opencl.hpp>)
#define CPP_HEADERS 1
#endif
#endif
#ifndef CPP_HEADERS
#define CPP_HEADERS 0
#endif

int main(void)
{
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    printf("%d\n", CPP_HEADERS);
    if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        cl_device_id devices[16];
        cl_uint device_count = 0;
        char platform[256] = "";
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &device_count) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < device_count && d < 16; d++) {
            char device[256] = "";
            clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof device - 1, device, NULL);
            printf("%s: %s\n", platform, device);
        }
    }
    return 0;
}
