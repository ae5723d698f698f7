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
    cudaPitchedPtr rows;
    cudaMalloc3D(&rows, make_cudaExtent(64 * sizeof(P), 8, 8));
    step<<<1, 64>>>((P *)rows.ptr, 64); //~ LC0031 it cannot be seen what this points to: memory from `cudaMalloc3D` is not followed
    cudaFree(rows.ptr);
    return 0;
}
