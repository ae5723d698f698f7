#include "graph.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void must(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "graph: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

__global__ void gatherWeights(Edge *edges, int count, const float *node, int nodes)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count)
        return;
    edges[e].weight = 0.5f * (node[edges[e].from] + node[edges[e].to]);
    edges[e].visits += 1 + (edges[e].from == edges[e].to);
}

Edge *uploadEdges(const Edge *edges, int count)
{
    Edge *d_edges = NULL;
    must(cudaMalloc((void **)&d_edges, count * sizeof(Edge)));
    must(cudaMemcpy(d_edges, edges, count * sizeof(Edge), cudaMemcpyHostToDevice));
    return d_edges;
}

void relaxOnDevice(Edge *d_edges, int count, float *d_node, int nodes)
{
    if (count == 0)
        return;
    gatherWeights<<<(count + 127) / 128, 128>>>(d_edges, count, d_node, nodes);
    must(cudaGetLastError());
}

void downloadEdges(Edge *edges, Edge *d_edges, int count)
{
    must(cudaMemcpy(edges, d_edges, count * sizeof(Edge), cudaMemcpyDeviceToHost));
    must(cudaFree(d_edges));
}
