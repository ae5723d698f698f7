//@ layout = "P = soa"
struct P {
    float x;
    int id;
    float v[3];
    __device__ const float &operator[](int k) const { return v[k]; }
    __device__ float &operator[](int k) { return v[k]; }
};
__device__ float second(const P &r) {
    return r[1];
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i][0] = 3.0f;
        p[i].x = second(p[i]);
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
