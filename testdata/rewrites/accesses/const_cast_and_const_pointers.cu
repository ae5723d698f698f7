//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, const int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const P *c = p;
        P const *e = (const P *)p;
        P *f = p;
        P *g = const_cast<P *>(c);
        f[i].x = c[i].x + e[i].x + g[0].x;
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
    const P *seen = d;
    cudaFree(const_cast<P *>(seen));
    delete[] h;
    return 0;
}
