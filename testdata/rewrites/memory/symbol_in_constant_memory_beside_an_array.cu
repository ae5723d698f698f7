//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__constant__ P table[4];
__device__ float get(const P *p, int i) {
    return p[i].x;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += get(table, i % 4) + get(p, i);
}
int main(int argc, char **argv) {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, h, sizeof(table));
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
