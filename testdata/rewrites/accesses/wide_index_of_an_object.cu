//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
    __device__ void add(float y) { x += y; }
    __device__ P &operator+=(const P &o) { x += o.x; return *this; }
};
__device__ P &operator-=(P &a, float by) {
    a.x -= by;
    return a;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t k = i;
        P own = p[k];
        p[k].add(2.0f);
        p[k] += own;
        p[k] -= 3.0f;
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
