//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(8)"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P own;
        memcpy(&own, &p[i], sizeof(P));
        own.x += 1.0f;
        memcpy(&p[i], &own, sizeof own);
        memcpy(p + i, p + (i + 1) % n, sizeof(*p));
        __builtin_memcpy((void *)&p[i], (const void *)&p[0], sizeof(P));
        float x = 2.0f;
        memcpy(&p[i].x, &x, sizeof(float));
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
