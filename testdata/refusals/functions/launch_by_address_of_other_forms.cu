//@ layout = "* = soa"
struct Body {
    float x, v;
};
struct Cell {
    float x, v;
};
struct Node {
    float x, v;
};
struct Context {
    Node *nodes;
    int count;
};
__global__ void push(Body *p, int n) {
    if (threadIdx.x < n)
        p[threadIdx.x].x += p[threadIdx.x].v;
}
__global__ void grow(Cell *p, int n) {
    if (threadIdx.x < n)
        p[threadIdx.x].x += p[threadIdx.x].v;
}
__global__ void link(Node *p, int n) {
    if (threadIdx.x < n)
        p[threadIdx.x].x += p[threadIdx.x].v;
}
// The context may be another one when the kernel is launched.
void launch(Context *context) {
    void *args[] = {&context->nodes, &context->count}; //~ LC0020 the launch that is given this address is not followed: the array of arguments is not filled with one address of a variable for each parameter
    cudaLaunchKernel((void *)link, dim3(1), dim3(32), args, 0, 0);
}
int main() {
    int n = 32;
    Body *b;
    Cell *c;
    Context context;
    context.count = n;
    cudaMalloc(&b, n * sizeof(Body));
    cudaMalloc(&c, n * sizeof(Cell));
    cudaMalloc(&context.nodes, n * sizeof(Node));
    // One entry is given on condition.
    void *some[2];
    some[0] = &b; //~ LC0020 the launch that is given this address is not followed: the array of arguments is not filled with one address of a variable for each parameter
    if (n > 3)
        some[1] = &n;
    cudaLaunchKernel((void *)push, dim3(1), dim3(32), some, 0, 0);
    // A copy of the array, which a lambda holds.
    void *held[] = {&c, &n}; //~ LC0020 the launch that is given this address is not followed: the array of arguments has other uses than launches
    auto later = [=]() mutable { cudaLaunchKernel((void *)grow, dim3(1), dim3(32), held, 0, 0); };
    later();
    launch(&context);
    return 0;
}
