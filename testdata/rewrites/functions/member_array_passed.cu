//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float f[9];
    int id;
    float m[3][3];
};
__device__ float sum(const float *f) {
    float s = 0.0f;
    for (int q = 0; q < 9; ++q) s += f[q];
    return s;
}
__device__ float ends(const float (&f)[9]) { return f[0] + f[8]; }
__device__ float ends_of(const float *f) { return f[0] - f[8]; }
__device__ float first(const float f[9]) { return *f; }
__device__ float nested(const float *f, float w) { return w * sum(f) + ends_of(f); }
__device__ float part(const float *f, int q) { return q == 9 ? 0.0f : f[q] + part(f, q + 1); }
__device__ void relax(float *__restrict__ f, float w) {
    for (int q = 0; q < 9; ++q) f[q] += w * (1.0f - f[q]);
}
__device__ float trace(const float (*m)[3]) { return m[0][0] + m[1][1] + m[2][2]; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = sum(p[i].f) + ends(p[i].f) + first(&p[i].f[0]);
        const float *f = p[i].f;
        s += nested(f, 2.0f) + part(f, 0) + trace(p[i].m);
        relax(p[i].f, s);
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
