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
struct D {
    P *p;
    int n;
};
D make(int n) {
    D e;
    cudaMalloc(&e.p, n * sizeof(P));
    e.n = n;
    return e;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    D e = make(n);
    step<<<1, 1>>>(e.p, e.n);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
