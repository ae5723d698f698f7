//@ layout = "P = tiled(32)"
struct P {
    float x;
    int id;
    __device__ void add(float f) {
        x += f;
    }
    __device__ void add(int k) {
        id += k;
    }
    __device__ void add(float f, int k) {
        x += f * k;
    }
    __device__ float get(int k) const {
        return x * k;
    }
    __device__ float get(float f) const {
        return x - f;
    }
};
__device__ int pick(const P &a) {
    return a.id;
}
__device__ float pick(float f) {
    return f + 1.0f;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].add(2.0f);
        p[i].add(n);
        p[i].add(p[i].x, i);
        p[i].id += (int)(p[i].get(3) + p[i].get(0.5f));
        p[i].x += pick(p[i]) + pick(p[i].x);
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
