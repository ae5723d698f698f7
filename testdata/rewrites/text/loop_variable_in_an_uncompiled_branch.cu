//@ layout = "Dot = soa"
struct Dot {
    float x;
    int id;
};
__global__ void fill(Dot *q, int n) {
    for (int step = threadIdx.x; step < n; step += 128) {
#ifdef SLOW
        q[0].id += step;
#else
        q[step].id = step;
#endif
    }
}
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
    }
}
int main() {
    int n = 100;
    Dot *h = new Dot[n]();
    Dot *d;
    cudaMalloc(&d, n * sizeof(Dot));
    cudaMemcpy(d, h, n * sizeof(Dot), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Dot), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
