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
    cudaMallocPitch(&d, &pitch, 100 * sizeof(P), 8); //~ LC0010 `cudaMallocPitch` is not part of the program and may access the array
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
