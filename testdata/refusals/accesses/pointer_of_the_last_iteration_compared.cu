//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n);
__global__ void both(P *a, P *b) {
    P *last = nullptr;
    for (int k = 0; k < 2; ++k) {
        P *q = k ? a : b;
        if (last && q < last) //~ LC0019 addresses of elements are compared or subtracted
            q->x = 1.0f;
        last = q;
    }
}
void other(int n) {
    P *a;
    P *b;
    cudaMalloc(&a, n * sizeof(P));
    cudaMalloc(&b, n * sizeof(P));
    both<<<1, 1>>>(a, b);
    step<<<1, 1>>>(a, n);
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x = 1.0f;
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
