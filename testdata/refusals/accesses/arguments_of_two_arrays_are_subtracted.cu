//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ int distance(const P *a, const P *b) {
    return (int)(a - b); //~ LC0019 addresses of elements are compared or subtracted
}
__global__ void both(const P *a, const P *b, int *out) {
    *out = distance(a, b);
}
void other(int n, int *out) {
    P *a;
    P *b;
    cudaMalloc(&a, n * sizeof(P));
    cudaMalloc(&b, n * sizeof(P));
    both<<<1, 1>>>(a, b, out);
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].id = distance(p + n, p);
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
