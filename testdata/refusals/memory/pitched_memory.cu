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
    P *d;
    size_t pitch;
    cudaMallocPitch(&d, &pitch, 100 * sizeof(P), 8); //~ LC0031 `cudaMallocPitch` chooses the distance of the rows in bytes: its memory is not followed
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
