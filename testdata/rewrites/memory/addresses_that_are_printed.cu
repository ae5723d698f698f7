//@ layouts = ["* = soa", "* = tiled(32)"]
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct Node { float x, y, mass; int child; };
struct Tree {
    Node *nodes;
    int n;
    void describe() const {
        char text[64];
        std::snprintf(text, sizeof text, "%p of %d", this->nodes, n);
        if (std::strlen(text) < 8) printf("no address: nodes=%p\n", nodes);
    }
};

__global__ void build(Node *nodes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == n) printf("behind the end of %p\n", nodes);
    if (i < n) {
        nodes[i].x = i;
        nodes[i].y = 2 * i;
        nodes[i].mass = 1;
        nodes[i].child = n - i;
    }
}

int main() {
    Tree tree;
    tree.n = 128;
    if (cudaMalloc(&tree.nodes, tree.n * sizeof(Node)) != cudaSuccess) {
        fprintf(stderr, "no memory: %p\n", (void *)tree.nodes);
        return 1;
    }
    tree.describe();
    Node *nodes = tree.nodes;
    char text[32];
    sprintf(text, "%p", nodes);
    build<<<1, 128>>>(nodes, tree.n);
    static Node host[128];
    cudaMemcpy(host, nodes, sizeof host, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < tree.n; ++i) sum += host[i].x * host[i].child + host[i].y * host[i].mass;
    printf("%.1f %d\n", sum, text[0] != 0);
    cudaFree(nodes);
    return 0;
}
