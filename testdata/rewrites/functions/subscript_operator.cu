//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float x;
    int id;
    float v[3];
    __device__ float &operator[](int k) { return v[k]; }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P own = p[i];
        p[i][0] = 3.0f;
        p[i][1] += p[i][2] + own[1];
        p[i][2]++;
        p[i].x = (i > 3 ? p[i] : p[0])[1];
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
