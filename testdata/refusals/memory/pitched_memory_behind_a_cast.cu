//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, size_t pitch, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    P *row = (P *)((char *)p + blockIdx.y * pitch); //~ LC0012 the array is addressed in bytes from here on
    if (i < width)
        row[i].x += row[i].id;
}
int main() {
    P *d;
    size_t pitch;
    cudaMallocPitch((void **)&d, &pitch, 100 * sizeof(P), 8); //~ LC0031 `cudaMallocPitch` chooses the distance of the rows in bytes: its memory is not followed
    step<<<dim3(1, 8), 128>>>(d, pitch, 100);
    cudaFree(d);
    return 0;
}
