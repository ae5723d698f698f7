//@ layouts = ["P = soa"]
struct P {
    int p;
    float i0[3][20];
};
__device__ P table[8];
__global__ void step(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[i % 8].p + (int)table[i % 8].i0[1][2];
}
int main() {
    int n = 100;
    P h[8] = {};
    int *out;
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpyToSymbol(table, h, sizeof(h));
    step<<<1, 128>>>(out, n);
    cudaFree(out);
    return 0;
}
