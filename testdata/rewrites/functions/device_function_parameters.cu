//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__device__ void by_pointer(P *q) {
    q->x += 1.0f;
}
__device__ float by_const_reference(const P &q) {
    return q.x;
}
__device__ void by_reference(P &q) {
    q.id++;
}
__device__ float by_value(P q) {
    return q.x;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        by_pointer(&p[i]);
        by_pointer(p + i);
        by_reference(p[i]);
        p[i].x = by_const_reference(p[i]) + by_value(p[i]);
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
