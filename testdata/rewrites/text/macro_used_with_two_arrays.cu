//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
#define X(q, k) ((q)[k].x)
__global__ void step(P *p, P *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P local[2];
        X(local, i & 1) = X(p, i);
        X(o, i) = X(local, i & 1) + X(p, n - 1 - i);
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d, *e;
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&e, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(e, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, e, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaMemcpy(h, e, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
    delete[] h;
    return 0;
}
