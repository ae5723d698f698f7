//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, P *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = 0;
        (k++ ? p[i] : q[i]) = p[0]; //~ LC0081 the condition that chooses the pointer cannot be evaluated twice
        p[i].id = k;
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    P *e;
    cudaMalloc(&e, n * sizeof(P));
    cudaMemcpy(e, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, e, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
    delete[] h;
    return 0;
}
