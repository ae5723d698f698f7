//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
struct V {
    float f[3];
};
__device__ void g(float (&f)[3]) {
    f[0] = 1;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float f[3] = {p[i].x, 0, 0};
        g(f);
        p[i].x = f[0];
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
