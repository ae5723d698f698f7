//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
#define ELEMENT(name, q, k) P *name = &(q)[k]
#define BOTH(a, b, k) a[k].x += 1; \
    b[k].x += 2
__global__ void step(P *p, P *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        ELEMENT(e, p, i);
        e->x += 1;
        BOTH(p, o, i);
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
