//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float f[9];
    float g[9];
    float h[9];
    float k[9];
};
struct Holder {
    const float *f;
};
__device__ float sum(const float *f) { return f[0] + f[8]; }
__device__ const float *pick(const P *p, int i) { return p[i].f; }
__device__ float walk(const float *f) {
    float s = 0.0f;
    for (int q = 0; q < 9; ++q) s += *f++;
    return s;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float *kept = p[i].f;
        Holder holder;
        holder.f = p[i].g;
        float s = sum(kept) + sum(holder.f) + pick(p, i)[1] + walk(p[i].h);
        const float *either = i & 1 ? p[i].f : p[i].g;
        if (either == kept) s += either[3];
        p[i].k[2] += s + *(p[i].k + 1);
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
