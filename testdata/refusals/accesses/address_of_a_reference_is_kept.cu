//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
struct H {
    const P *q; //~ LC0026 this may point to an element other than the first
};
__device__ H g(const P &r) {
    H h;
    h.q = &r;
    return h;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        H h = g(p[i]);
        p[i].x = 2;
        p[i].id = (int)h.q->x;
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
