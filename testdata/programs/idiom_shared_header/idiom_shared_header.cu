/* One struct in a header, two .cu files in two folders: this one launches a kernel of its own on an array that
 * the other one has allocated. */
#include "common/edge.h"
#include "gpu/graph.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void reverseEdges(Edge *edges, int count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < count) {
        int from = edges[e].from;
        edges[e].from = edges[e].to;
        edges[e].to = from;
    }
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    int nodes = count / 4 + 1;

    Edge *edges = (Edge *)malloc((count + 1) * sizeof(Edge));
    float *node = (float *)malloc(nodes * sizeof(float));
    for (int i = 0; i < nodes; i++)
        node[i] = (float)(i % 64);
    for (int e = 0; e < count; e++) {
        edges[e].from = (e * 7) % nodes;
        edges[e].to = (e * 3 + 1) % nodes;
        edges[e].weight = -1.0f;
        edges[e].visits = e % 2;
    }

    float *d_node;
    if (cudaMalloc((void **)&d_node, nodes * sizeof(float)) != cudaSuccess)
        return 1;
    cudaMemcpy(d_node, node, nodes * sizeof(float), cudaMemcpyHostToDevice);

    Edge *d_edges = uploadEdges(edges, count);
    relaxOnDevice(d_edges, count, d_node, nodes);
    if (count > 0)
        reverseEdges<<<(count + 63) / 64, 64>>>(d_edges, count);
    relaxOnDevice(d_edges, count, d_node, nodes);
    downloadEdges(edges, d_edges, count);
    cudaFree(d_node);

    int wrong = 0;
    double sum = 0;
    for (int e = 0; e < count; e++) {
        int from = (e * 7) % nodes, to = (e * 3 + 1) % nodes;
        if (edges[e].from != to || edges[e].to != from || edges[e].weight != 0.5f * (node[from] + node[to]) ||
            edges[e].visits != e % 2 + 2 + 2 * (from == to))
            wrong = 1;
        sum += (e % 3 + 1) * (edges[e].from + 2.0 * edges[e].to + 3.0 * edges[e].weight + 4.0 * edges[e].visits);
    }
    printf("%d edges, %d nodes: %.3f\n", count, nodes, sum);
    puts(wrong ? "FAILED" : "PASSED");
    free(edges);
    free(node);
    return wrong;
}
