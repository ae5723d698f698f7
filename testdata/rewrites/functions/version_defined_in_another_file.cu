//@ layouts = ["V = soa", "V = tiled(32)"]
// What one file defines and two call has the linkage of its origin.
#include "v.h"
__global__ void step(V *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].add(1);
        p[i].turn();
        bump(p + i, 1);
    }
}
int main()
{
    const int n = 100;
    V *h = new V[n];
    V *d;
    cudaMalloc(&d, n * sizeof(V));
    cudaMemcpy(d, h, n * sizeof(V), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    again(d, n);
    cudaMemcpy(h, d, n * sizeof(V), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
}
//- v.cu
#include "v.h"
HD void geo::V::add(float s) { x += s; }
__device__ void bump(V *v, float s) { v->y += s; }
__global__ void other(V *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        V one = {1, 2, 3, 4};
        p[i].add(1);
        bump(&one, 1);
        bump(p + i, one.y);
    }
}
void again(V *d, int n) { other<<<1, 128>>>(d, n); }
//- v.h
#pragma once
#define HD __host__ __device__
namespace geo {
struct V {
    float x, y, z;
    int id;
    HD void add(float s);
    HD void turn() { y = -y; }
};
}
using geo::V;
__device__ void bump(V *v, float s);
void again(V *d, int n);
