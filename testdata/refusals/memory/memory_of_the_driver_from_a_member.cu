//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
struct Holder {
    CUdeviceptr memory;
    size_t start;
};
int main() {
    Holder holder;
    cuMemAlloc_v2(&holder.memory, 128 * sizeof(P));
    holder.start = 64 * sizeof(P);
    P *p = (P *)(holder.memory + holder.start); //~ LC0031 it cannot be seen what this points to: memory from `cuMemAlloc_v2` is not followed
    step<<<1, 64>>>(p, 64);
    cuMemFree_v2(holder.memory);
    return 0;
}
