//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__device__ int g(const P &r, int *c) {
    atomicAdd(c, 1);
    return r.id;
}
__device__ const float *h(const P &r) {
    return &r.x;
}
__device__ void set(float *f) {
    *f = 3.0f;
}
__device__ float k(const P &r, P *all, int i) {
    set(&all[i].x);
    return r.x;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x = g(p[i], &p[i].id);
        p[i].id = (int)*h(p[i]);
        p[i].id += (int)k(p[i], p, i);
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
