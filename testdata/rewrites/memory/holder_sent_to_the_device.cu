//@ layouts = ["P = soa", "P = tiled(32)"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
struct D {
    P *p;
    int n;
};
__global__ void other(D *e) {
    e->p[0].x = 1;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    D e{d, n};
    D *de;
    cudaMalloc(&de, sizeof(D));
    cudaMemcpy(de, &e, sizeof(D), cudaMemcpyHostToDevice);
    other<<<1, 1>>>(de);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
