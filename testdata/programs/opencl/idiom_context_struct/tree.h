#ifndef TREE_H
#define TREE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

typedef struct {
    int parent;
    int depth;
    float length;
    float path;
} branch_t;

/* everything that lives as long as the device is used */
typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel descend;
    cl_kernel prune;
    cl_mem branches;
    cl_mem kept;
    int count;
} tree_device;

void tree_open(tree_device *dev, const branch_t *branches, int count);
void tree_descend(tree_device *dev, int rounds);
int tree_prune(tree_device *dev, float limit, int *kept);
void tree_fetch(const tree_device *dev, branch_t *branches);
void tree_close(tree_device *dev);

#endif
