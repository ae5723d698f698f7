//@ layouts = ["P = tiled(32)", "P = soa"]
struct V {
    float c[3];
    __device__ float &operator[](int k) { return c[k]; }
    __device__ float operator()(float by) const { return c[0] * by; }
};
struct P {
    V pos;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].pos[1] = p[i].pos[0] + 1.0f;
        p[i].id = (int)p[i].pos(2.0f);
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
