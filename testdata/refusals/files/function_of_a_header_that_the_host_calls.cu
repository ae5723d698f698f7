//@ layout = "* = soa"
//- scene.h
#pragma once
#include <cuda_runtime.h>
struct Sphere { float x, y, z, r; };
struct Scene {
    Sphere *spheres;
    int count;
    __host__ __device__ float radius(int i) const {
        const Sphere &s = spheres[i];
        return grown(s); //~ LC0033 this file is not compiled as CUDA, and here elements would be accessed in the new layout
    }
    __host__ __device__ static float grown(const Sphere &s) { return s.r + 1; }
};
//- main.cpp
#include "scene.h"
void render(Scene scene);
int main() {
    Scene scene;
    scene.count = 64;
    cudaMallocManaged(&scene.spheres, 64 * sizeof(Sphere));
    render(scene);
    return scene.radius(3) > 1;
}
//- render.cu
#include "scene.h"
__global__ void grow(Scene scene) { if (threadIdx.x < scene.count) scene.spheres[threadIdx.x].r += scene.radius(0); }
void render(Scene scene) { grow<<<1, 64>>>(scene); cudaDeviceSynchronize(); }
