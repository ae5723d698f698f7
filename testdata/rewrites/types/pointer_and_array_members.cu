//@ layouts = ["P = tiled(32)", "P = soa", "P = {a c} tiled(4), {*}"]
struct P {
    int a, *b, c[3], m[2][2];
    const char *name;
    unsigned long long id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].a += *p[i].b + p[i].c[1] + p[i].m[1][i % 2];
        p[i].b = nullptr;
        p[i].name = "x";
        p[i].b = p[i].b + 1;
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
