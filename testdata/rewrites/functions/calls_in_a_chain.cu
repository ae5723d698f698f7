//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
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
        P own = p[i];
        p[i].scale(2.0f).shift(1.0f);
        (p[i] += own).x += 2.0f;
        p[i].id += (int)p[i].shift(2.0f).get(3.0f);
        P b = p[i].scale(2.0f);
        own = p[i] += b;
        own.scale(3.0f).shift(1.0f);
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
