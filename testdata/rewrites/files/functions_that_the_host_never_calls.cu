//@ layouts = ["* = soa", "* = tiled(32)"]
//- scene.h
#pragma once
#include <cuda_runtime.h>

struct Ray {
    float ox, oy, oz, dx, dy, dz;
};

struct Sphere {
    float x, y, z, r;
    int material;
};

__host__ __device__ inline float distanceTo(const Sphere &s, const Ray &ray)
{
    float dx = s.x - ray.ox, dy = s.y - ray.oy, dz = s.z - ray.oz;
    return dx * ray.dx + dy * ray.dy + dz * ray.dz - s.r;
}

// A class of which the host makes objects, with functions that only kernels call.
class Scene {
public:
    Sphere *spheres = nullptr;
    int count = 0;

    void upload(const Sphere *host, int n);
    void release();

    __host__ __device__ bool occluded(const Ray &ray, float least) const
    {
        for (int i = 0; i < count; ++i) {
            Sphere &s = spheres[i];
            if (distanceTo(s, ray) < least) return true;
        }
        return false;
    }

    __device__ int materialAt(int i) const { return spheres[i].material; } // one line

    __host__ __device__ int nearest(const Ray &ray) const {
        int found = -1;
        float best = 1e9f;
        for (int i = 0; i < count; ++i) {
            float t = distanceTo(spheres[i], ray);
            if (t < best) {
                best = t;
                found = i;
            }
        }
        return found >= 0 && occluded(ray, best) ? -2 : found;
    }

    int size() const { return count; }

    __host__ __device__ float height(int i) const;
};

// Outside of the class.
__host__ __device__ inline float Scene::height(int i) const
{
    const Sphere &s = spheres[i];
    return distanceTo(s, Ray{0, 0, 0, 0, 1, 0});
}

// A free function, and one that calls it.
static __host__ __device__ inline void paint(const Scene &scene, int i, int material)
{
    Sphere s = scene.spheres[i];
    s.material = material;
    s.r += 0.5f;
    scene.spheres[i] = s;
}
__host__ __device__ inline void paintTwo(const Scene &scene, int i) { paint(scene, i, 7); paint(scene, i + 1, 8); }

void render(const Scene &scene, float *image, int n);
//- main.cpp
#include "scene.h"
#include <cstdio>
#include <vector>

int main()
{
    std::vector<Sphere> host(100);
    for (int i = 0; i < 100; ++i) host[i] = Sphere{1.0f * i, 2.0f * (i % 7), 3.0f, 0.5f, i % 5};
    Scene scene;
    scene.upload(host.data(), 100);
    float *image;
    cudaMalloc(&image, 64 * sizeof(float));
    render(scene, image, 64);
    float shown[64];
    cudaMemcpy(shown, image, sizeof shown, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += shown[i] * (i % 5);
    printf("%d %.2f\n", scene.size(), sum);
    scene.release();
    cudaFree(image);
    return 0;
}
//- render.cu
#include "scene.h"

void Scene::upload(const Sphere *host, int n)
{
    count = n;
    cudaMalloc(&spheres, n * sizeof(Sphere));
    cudaMemcpy(spheres, host, n * sizeof(Sphere), cudaMemcpyHostToDevice);
}

void Scene::release()
{
    cudaFree(spheres);
}

__global__ void shade(Scene scene, float *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray ray = {0, 0, 0, 0.1f * i, 0.2f, 1};
    int found = scene.nearest(ray);
    image[i] = found >= 0 ? scene.materialAt(found) : found;
    image[i] += (scene.occluded(ray, 2.0f) ? 1 : 0) + scene.height(i);
}

__global__ void change(Scene scene)
{
    if (threadIdx.x == 0) paintTwo(scene, 3);
}

void render(const Scene &scene, float *image, int n)
{
    change<<<1, 32>>>(scene);
    shade<<<(n + 31) / 32, 32>>>(scene, image, n);
}
