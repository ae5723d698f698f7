//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
P *common;
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += 1.0f;
    }
}
void launch(int n, P *q = common) { //~ LC0078 the default argument of this parameter is not null
    step<<<1, 128>>>(q, n);
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    launch(n, d);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
