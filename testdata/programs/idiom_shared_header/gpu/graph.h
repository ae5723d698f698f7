#ifndef GPU_GRAPH_H
#define GPU_GRAPH_H

#include "../common/edge.h"

/* The host side of graph_gpu.cu; all device work of the program is behind these functions. */
Edge *uploadEdges(const Edge *edges, int count);
void relaxOnDevice(Edge *d_edges, int count, float *d_node, int nodes);
void downloadEdges(Edge *edges, Edge *d_edges, int count);

#endif
