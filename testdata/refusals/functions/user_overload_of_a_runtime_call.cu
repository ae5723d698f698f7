//@ layout = "Dot = soa"
struct Dot {
    float x;
    int id;
};
cudaError_t cudaMemcpy(Dot *to, const Dot *from, int count) {
    return cudaMemcpy((void *)to, (const void *)from, count * sizeof(Dot), cudaMemcpyHostToDevice);
}
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].id;
}
int main() {
    Dot *d, h[100] = {};
    cudaMalloc(&d, 100 * sizeof(Dot));
    cudaMemcpy(d, h, 100); //~ LC0034 it is not clear which function this argument reaches
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
