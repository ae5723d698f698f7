typedef struct {
    int parent;
    int depth;
    float length;
    float path;
} branch_t;

__kernel void descend(__global branch_t *branches, int count, int round)
{
    int i = get_global_id(0);
    if (i >= count || branches[i].depth != round) return;
    int p = branches[i].parent;
    branches[i].path = branches[i].length + (p >= 0 ? branches[p].path : 0.0f);
}

__kernel void prune(__global branch_t *branches, int count, float limit, __global int *kept)
{
    int i = get_global_id(0);
    if (i >= count) return;
    __global branch_t *b = branches + i;
    if (b->path > limit) {
        b->length = 0.0f;
        b->parent = -2;
    }
    kept[i] = b->parent != -2;
}
