//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P table[4];
__device__ void add(P *p, int i) {
    p[i].x += 1.0f;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += table[i % 4].x, add(table, 0), add(p, i);
}
int main(int argc, char **argv) {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    size_t size;
    cudaGetSymbolSize(&size, table); //~ LC0010 no definition of `cudaGetSymbolSize` is found, and it may access the array
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
