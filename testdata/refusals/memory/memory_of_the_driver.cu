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
int main() {
    P h[64] = {};
    CUdeviceptr d;
    cuMemAlloc(&d, 64 * sizeof(P));
    cuMemcpyHtoD(d, h, 64 * sizeof(P));
    step<<<1, 64>>>((P *)d, 64); //~ LC0031 it cannot be seen what this points to: memory from `cuMemAlloc` is not followed
    cuMemcpyDtoH(h, d, 64 * sizeof(P));
    cuMemFree(d);
    return 0;
}
