//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
static __device__ float sum(const float *f) {
    float s = 0.0f;
    for (int q = 0; q < 9; ++q) s += f[q];
    return s;
}
struct P {
    float f[9];
    float g[9];
    int id;
};
__device__ float both(const float *f, const float *g) { return f[0] * g[1]; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float own[9] = {1.0f, 2.0f};
        P copy = p[i];
        float s = sum(p[i].f) + sum(own) + sum(copy.f) + sum(p[i].g);
        s += both(p[i].f, p[i].g) + both(p[i].f, p[i].f) + both(own, p[i].g);
        p[i].g[2] = s;
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
