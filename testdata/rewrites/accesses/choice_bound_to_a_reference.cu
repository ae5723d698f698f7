//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__device__ void bump(P &r, float by) {
    r.x += by;
}
__global__ void step(P *p, P *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P &r = i > 2 ? p[i] : p[0];
        r.x = 1;
        const P &c = (i > 3) ? q[i] : p[i];
        p[i].id = c.id;
        P *z = &(i > 4 ? p[i] : q[i]);
        z->x += 2.0f;
        bump(i > 5 ? p[i] : q[0], 3.0f);
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
