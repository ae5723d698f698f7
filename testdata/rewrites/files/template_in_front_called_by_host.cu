//@ layouts = ["* = tiled(32)", "* = soa"]
// A template in front of the struct, which a file for the host compiler calls: its instance stands behind the struct, for both.
#include "utils/utils.h"
#include "device/types.h"
#include "device/scene.h"
#include <cstdio>
__global__ void walk(Node *nodes, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) nodes[i].x += nodes[i].y;
}
int main() {
    Scene scene;
    scene.upload(50);
    walk<<<2, 32>>>(scene.nodes, scene.count);
    std::vector<Node> back(scene.count);
    cudaMemcpy(back.data(), scene.nodes, scene.count * sizeof(Node), cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < scene.count; i += 7) printf("%g %g %d\n", back[i].x, back[i].y, back[i].next);
    float *weights = nullptr;
    printf("%u\n", copyToDevice(weights, std::vector<float>(3, 1.0f)));
    cudaFree(weights);
    cudaFree(scene.nodes);
}
//- utils/utils.h
#pragma once
#include <cuda_runtime.h>
#include <vector>
#define CHECK(call) do { if ((call) != cudaSuccess) return 0; } while (0)
template <typename T> unsigned copyToDevice(T *&to, const std::vector<T> &from) {
    if (from.empty()) return 0;
    if (to == nullptr) CHECK(cudaMalloc((void **)&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return (unsigned)from.size();
}
//- device/types.h
#pragma once
struct Node {
    float x, y;
    int next;
};
//- device/scene.h
#pragma once
struct Node;
struct Scene {
    Node *nodes = nullptr;
    unsigned count = 0;
    void upload(int n);
};
//- scene.cpp
#include "utils/utils.h"
#include "device/types.h"
#include "device/scene.h"
void Scene::upload(int n) {
    std::vector<Node> host(n);
    for (int i = 0; i < n; i++) host[i] = {i * 0.5f, i * 2.0f, (i + 1) % n};
    count = copyToDevice(nodes, host);
}
