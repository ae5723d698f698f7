//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, const P *q, int n) {
    int i = threadIdx.x;
    if (i < n) {
        p[i] = q[i];
        p[i].x = (i ? p[i] : q[0]).x; //~ LC0028 choice between elements
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
