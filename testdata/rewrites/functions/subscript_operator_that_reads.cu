//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
    float v[3];
    __device__ float operator[](int k) const { return v[k]; }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P own = p[i];
        p[i].x = p[i][1] + (*(p + i))[0] * own[2];
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
