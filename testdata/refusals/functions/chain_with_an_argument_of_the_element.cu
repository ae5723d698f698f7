//@ layout = "P = soa"
struct P {
    float x;
    int id;
    __device__ P &scale(float f) { x *= f; return *this; }
    __device__ P &shift(float f) { x += f; id++; return *this; }
    __device__ P &operator+=(const P &o) { x += o.x; return *this; }
    __device__ float get(float k) const { return x * k; }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].scale(2.0f).shift(p[i].x); //~ LC0081 the object and an argument depend on each other's order of evaluation
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
