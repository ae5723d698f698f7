//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
#define EACH(q, a, n) for (P *q = a; q < a + n; ++q)
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        EACH(q, p, n) q->x += 1.0f; //~ LC0077 this construct is not modelled and mentions `P`
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
