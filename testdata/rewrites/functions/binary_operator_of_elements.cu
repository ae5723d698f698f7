//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P operator+(const P &a, const P &b) {
    return P{a.x + b.x, a.id};
}
__device__ P &operator+=(P &a, const P &b) {
    a.x += b.x;
    return a;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P c = p[i] + p[0];
        p[i] += c;
        p[i] = c + p[0];
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
