//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    void *raw(static_cast<void *>(d)); //~ LC0077 this construct is not modelled and mentions `d`
    cudaMemcpy(h, raw, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
