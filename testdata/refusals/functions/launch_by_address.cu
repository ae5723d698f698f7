//@ layout = "* = soa"
struct Body {
    float x;
    float v;
};
struct Other {
    float x;
    float v;
};
__global__ void push(Body *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].v;
}
__global__ void walk(Other *q, int n) {
    q += threadIdx.x;
    if (threadIdx.x < n)
        q->x += q->v;
}
void *chosen(void **all) { return all[0]; }
int main() {
    int n = 64;
    Body *d;
    Other *o;
    cudaMalloc(&d, n * sizeof(Body));
    cudaMalloc(&o, n * sizeof(Other));
    // Somebody else is given the array.
    void *seen[] = {&d, &n}; //~ LC0020 the launch that is given this address is not followed: the array of arguments has other uses than launches
    chosen(seen);
    cudaLaunchKernel((void *)push, dim3(1), dim3(64), seen, 0, 0);
    // The entries change between the launches.
    void *changed[] = {&d, &n}; //~ LC0020 the launch that is given this address is not followed: the array of arguments has other uses than launches
    cudaLaunchKernel((void *)push, dim3(1), dim3(64), changed, 0, 0);
    changed[1] = &n;
    cudaLaunchKernel((void *)push, dim3(1), dim3(64), changed, 0, 0);
    // The kernel reads four of eight bytes.
    long count = 64;
    void *wide[] = {&d, &count}; //~ LC0020 the launch that is given this address is not followed: a parameter of the kernel has another type than the variable that it is read from
    cudaLaunchKernel((void *)push, dim3(1), dim3(64), wide, 0, 0);
    // The kernel moves its pointer.
    void *moved[] = {&o, &n}; //~ LC0026 a launch is given the address of this pointer, and `walk` moves it
    cudaLaunchKernel((void *)walk, dim3(1), dim3(64), moved, 0, 0);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
