//@ layout = "P = soa"
//@ errors = ["LC0042"]
struct P {
    float x;
    int id;
};
__global__ void step(cudaPitchedPtr rows, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char *row = (char *)rows.ptr + blockIdx.y * rows.pitch;
    if (i < width)
        ((P *)row)[i].x += ((P *)row)[i].id;
}
int main() {
    cudaPitchedPtr rows;
    cudaMalloc3D(&rows, make_cudaExtent(64 * sizeof(P), 8, 8)); //~ LC0042 no array of structs in device memory is called `P` or has elements of that type
    step<<<dim3(1, 8), 64>>>(rows, 64);
    cudaFree(rows.ptr);
    return 0;
}
