//@ layouts = ["P = tiled(32)", "P = soa"]
struct V {
    float a;
    float b;
};
struct P {
    float x;
    int id;
    double d;
    float arr[4];
    V v;
    float2 f2;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float *f = &p[i].x;
        *f += 1.0f;
        const int *g = nullptr;
        if (i & 1)
            g = &p[i].id;
        if (g)
            *f += *g;
        auto *h = i & 2 ? &p[i].v.a : &p[n - 1 - i].v.b;
        *h -= *f;
        float &r = p[i].arr[i & 3];
        float *w = &r;
        *w = r + __ldg(&p[i].v.a);
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
