//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float f[9];
    int id;
    float m[3][3];
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float *f = p[i].f;
        float *first = &p[i].f[0];
        P *q = p + i;
        auto *g = q->f;
        const auto &r = p[n - 1 - i].f;
        float (*m)[3] = q->m;
        const P *constant = p + i;
        auto *deduced = constant->f;
        auto &row = constant->m[1];
        auto again = deduced;
        int j = i;
        const float *moved = p[j].f;
        j = 0;
        first[1] = f[0] + *f + r[2];
        g[3] += moved[j] + f[4];
        m[0][1] = m[1][1] + f[p[i].id & 7];
        p[i].id += j + (int)(deduced[1] + again[2] + row[0]);
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
