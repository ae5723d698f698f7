//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__host__ __device__ void set(P *p, int i) {
#ifdef __CUDA_ARCH__
    p[i].x += 1.0f;
#else //~ LC0077 this construct is not modelled and mentions `p`
    p[i].x -= 1.0f;
#endif
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        set(p, i);
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
