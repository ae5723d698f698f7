#ifndef COMMON_EDGE_H
#define COMMON_EDGE_H

/* shared by every source file of the program */
struct Edge {
    int from;
    int to;
    float weight;
    int visits;
};

#endif
