//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocAsync((void **)&d, n * sizeof(P), stream);
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpyAsync(d, h, sizeof(P) * n, cudaMemcpyHostToDevice, stream);
    step<<<dim3((n + 127) / 128), dim3(128), 0, stream>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFreeAsync(d, stream);
    d = nullptr;
    cudaFree(d);
    delete[] h;
    return 0;
}
