//@ layout = "P = soa"
struct P {
    float x;
    float y;
} __attribute__((aligned(32), aligned(16))); //~ LC0027 this member or attribute is not modelled
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemset(d, 0, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
