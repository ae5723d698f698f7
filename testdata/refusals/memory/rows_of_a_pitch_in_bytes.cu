//@ layout = "P = soa"
//@ errors = ["LC0042"]
struct P {
    float x;
    int id;
};
__global__ void step(char *rows, size_t pitch, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    P *row = (P *)(rows + blockIdx.y * pitch);
    if (i < width)
        row[i].x += row[i].id;
}
int main() {
    char *rows;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 64 * sizeof(P), 8); //~ LC0042 no array of structs in device memory is called `P` or has elements of that type
    step<<<dim3(1, 8), 64>>>(rows, pitch, 64);
    cudaFree(rows);
    return 0;
}
