//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float f[9];
    float g[9];
    int id;
};
__device__ float sum(const float *f) { return f[0] + f[8]; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float own[9];
        memcpy(own, p[i].g, sizeof own);
        p[i].id += (int)(sum(p[i].f) + sum(p[i].g) + sum(own));
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
