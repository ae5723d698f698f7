//@ layout = "* = soa"
//- scene.h
#pragma once
#include <cuda_runtime.h>
struct Sphere { float x, y, z, r; };
namespace scene {
__host__ __device__ inline float grown(const Sphere &s) { return s.r + 1; }
__host__ __device__ inline float radius(const Sphere *spheres, int i) {
    const Sphere &s = spheres[i];
    return grown(s); //~ LC0033 this file is not compiled as CUDA, and here elements would be accessed in the new layout
}
}
namespace host { using scene::radius; }
struct Scene { Sphere *spheres; int count; };
void render(Scene scene);
//- main.cpp
#include "scene.h"
int main() {
    Scene scene;
    scene.count = 64;
    cudaMalloc(&scene.spheres, 64 * sizeof(Sphere));
    render(scene);
    return 0;
}
//- render.cu
#include "scene.h"
__global__ void grow(Scene scene) { if (threadIdx.x < scene.count) scene.spheres[threadIdx.x].r += scene::radius(scene.spheres, 0); }
void render(Scene scene) { grow<<<1, 64>>>(scene); cudaDeviceSynchronize(); }
