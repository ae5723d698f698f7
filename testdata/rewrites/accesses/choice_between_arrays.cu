//@ layouts = ["d_a = soa", "d_b = tiled(32)"]
// A pointer to either of two arrays: what becomes of one becomes of the other.
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
int main(int argc, char **) {
    int n = 100;
    P *h = new P[n]();
    P *d_a, *d_b;
    cudaMalloc(&d_a, n * sizeof(P));
    cudaMalloc(&d_b, n * sizeof(P));
    cudaMemcpy(d_a, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(argc > 1 ? d_a : d_b, n);
    cudaMemcpy(h, d_b, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    delete[] h;
    return 0;
}
