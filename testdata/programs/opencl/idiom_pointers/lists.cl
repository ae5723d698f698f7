/* Ways to reach an element. */
typedef struct Node {
    int value;
    int length;
    float weight;
    float total;
} Node;

#define VALUE(p, i) ((p)[i].value)

inline float weigh(const __global Node *restrict node, float factor)
{
    return (*node).weight * factor;
}

void add(__global Node *nodes, int at, float what)
{
    (nodes + at)->total += what;
}

Node make(int value, float weight)
{
    Node n = {value, 0, weight, 0.0f};
    return n;
}

void grow(Node *n)
{
    n->value += 1;
    n->weight *= 2.0f;
}

__kernel void start(__global Node *nodes, __global const int *lengths, int count)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    Node n = make(i, 0.5f * (i % 8));
    grow(&n);
    n.length = lengths[i];
    nodes[i] = n;
}

__kernel void run(__global Node *nodes, int count)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    __global Node *self = nodes + i;
    const __global Node *p = self;
    const __global Node *const end = nodes + min(i + self->length, count);
    float total = 0.0f;
    for (; p < end; p++)
        total += weigh(p, 0.5f) + VALUE(nodes, i);
    (*self).total = total;
    add(nodes, i, (nodes + i)->weight);
    if (i > 0) {
        __global const Node *before = &self[-1];
        self->total += before->value;
    }
}
