//@ layout = "P = soa"
struct P {
    float x;
    int id;
    __device__ P &scale(float f) { x *= f; return *this; }
    __device__ P &shift(float f) { x += f; id++; return *this; }
    __device__ P &operator+=(const P &o) { x += o.x; return *this; }
    __device__ float get(float k) const { return x * k; }
};
__global__ void step(P *p, P *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        (i > 3 ? p[i] : p[0]).scale(2.0f).shift(1.0f);
        (i > 2 ? p[i].scale(2.0f) : q[i]).x += 1.0f;
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
