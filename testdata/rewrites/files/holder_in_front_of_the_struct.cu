//@ layouts = ["* = soa", "* = tiled(32)", "Path = {origin}, {direction depth} tiled(32)"]
// `resources.h` only declares the structs that its members point to, and a file for host compilers includes nothing else.
#include "resources.h"
#include "scene.h"
#include <cstdio>
#include <vector>
__global__ void bounce(Path *paths, Hit *hits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    paths[i].origin += hits[i].t * paths[i].direction;
    paths[i].depth--;
    hits[i].t *= 0.5f;
}
void Tracer::start(int count)
{
    n = count;
    std::vector<Path> paths(n);
    std::vector<Hit> hits(n);
    for (int i = 0; i < n; i++) {
        paths[i] = Path{i * 1.0f, 0.5f, 8};
        hits[i] = Hit{i * 0.25f, i % 5, true};
    }
    cudaMalloc(&resources.paths, n * sizeof(Path));
    cudaMalloc(&resources.hits, n * sizeof(Hit));
    cudaMalloc(&last, n * sizeof(Path));
    cudaMemcpy(resources.paths, paths.data(), n * sizeof(Path), cudaMemcpyHostToDevice);
    cudaMemcpy(resources.hits, hits.data(), n * sizeof(Hit), cudaMemcpyHostToDevice);
}
int compacted(int n, Path *out, const Path *in)
{
    cudaMemcpy(out, in, n * sizeof(Path), cudaMemcpyDeviceToDevice);
    return n;
}
void Tracer::trace() { bounce<<<(n + 63) / 64, 64>>>(resources.paths, resources.hits, n); }
float Tracer::finish()
{
    std::vector<Path> paths(compacted(n, last, resources.paths));
    cudaMemcpy(paths.data(), last, n * sizeof(Path), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (const Path &path : paths)
        sum += path.origin * path.depth;
    cudaFree(resources.paths);
    cudaFree(resources.hits);
    cudaFree(last);
    return sum;
}
//- resources.h
#pragma once
struct Path;
struct Hit;
struct Resources {
    Path *paths = nullptr;
    Hit *hits = nullptr;
};
class Tracer {
public:
    void start(int count);
    void trace();
    float finish();
    bool is_ready() const { return last != nullptr; }
private:
    Resources resources;
    Path *last = nullptr;
    int n = 0;
};
int compacted(int n, Path *out, const Path *in);
//- scene.h
#pragma once
struct Path {
    float origin, direction;
    int depth;
};
struct Hit {
    float t;
    int material;
    bool outside;
};
//- main.cpp
#include "resources.h"
#include <cstdio>
int main()
{
    Tracer tracer;
    tracer.start(1000);
    for (int i = 0; i < 4 && tracer.is_ready(); i++)
        tracer.trace();
    printf("%g\n", tracer.finish());
}
