//@ layout = "P = soa"
struct P {
    float x;
    int id;
    __device__ P &operator++() { x += 1; return *this; }
    __device__ P operator++(int) { P old = *this; x += 1; return old; }
};
__device__ P &operator--(P &a) {
    a.x -= 1;
    return a;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        ++p[i];
        P before = p[i]++;
        --p[i];
        for (int k = 0; k < 3; k++, ++p[i])
            p[i].id += (int)before.x;
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
