//@ layouts = ["* = tiled(32)", "* = soa"]
// The header of the template that is called is included by that of the one that calls it: both instances stand behind the struct, in that order.
#include "upload.h"
#include "types.h"
#include <cstdio>
__global__ void walk(Node *nodes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        advance(nodes, i);
        nodes[i].next++;
    }
}
int main() {
    Node host[50];
    for (int i = 0; i < 50; i++) host[i] = {i * 0.5f, i * 2.0f, (i + 1) % 50};
    Node *nodes = nullptr;
    cudaMalloc(&nodes, sizeof(host));
    upload(nodes, host, 50);
    walk<<<2, 32>>>(nodes, 50);
    download(host, nodes, 50);
    for (int i = 0; i < 50; i += 7) printf("%g %g %d\n", host[i].x, host[i].y, host[i].next);
    cudaFree(nodes);
}
//- upload.h
#pragma once
#include "advance.h"
template <typename T> void upload(T *to, const T *from, int n) {
    cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyHostToDevice);
    settle<<<1, 64>>>(to, n);
}
template <typename T> void download(T *to, const T *from, int n) {
    cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost);
}
//- advance.h
#pragma once
template <typename T> __device__ void advance(T *items, int i) {
    items[i].x += items[i].y;
}
template <typename T> __global__ void settle(T *items, int n) {
    int i = threadIdx.x;
    if (i < n) advance(items, i);
}
//- types.h
#pragma once
struct Node {
    float x, y;
    int next;
};
