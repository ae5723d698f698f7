//@ layouts = ["d = soa", "e = tiled(32)"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, const P *q, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += q[i].x;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    P *e;
    cudaMalloc(&e, n * sizeof(P));
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, e, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
