//@ layout = "P = soa"
struct P {
    float x;
    int id;
    __device__ float get(float y) const { return x + y; }
    __device__ void add(float y) { x += y; }
};
__global__ void step(P *p, P *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x = (i > 2 ? p[i] : q[i]).get(2.0f);
        (i > 3 ? p[i] : q[i]).add(3.0f);
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
