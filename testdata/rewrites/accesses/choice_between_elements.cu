//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float x;
    int id;
    float v[2];
};
__global__ void step(P *p, P *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P own = p[i];
        p[i].x = (i > 3 ? p[i] : q[0]).x;
        (i > 4 ? p[i] : p[n - 1 - i]).v[1] = 5.0f;
        int k = i;
        (k++ > 6 ? p[i] : q[i]).id += k;
        (i > 7 ? p[i] : q[i]) = own;
        p[i].x += (i > 8 ? p[i] : own).v[0];
        (i > 9 ? (i > 20 ? p[i] : q[i]) : p[0]).x = 3.0f;
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    P *e;
    cudaMalloc(&e, n * sizeof(P));
    cudaMemcpy(e, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, e, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
    delete[] h;
    return 0;
}
