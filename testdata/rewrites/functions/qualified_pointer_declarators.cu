//@ layouts = ["P = soa"]
struct P {
    float x;
    int id;
};
__global__ void step(P *, int, const float *);
__global__ void step(P *__restrict__ p, int n, const float *f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P *const q = p;
        q[i].x += f[i];
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n, nullptr);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
