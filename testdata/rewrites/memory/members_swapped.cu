//@ layouts = ["P = tiled(32)", "P = soa"]
struct V {
    float a;
    float b;
};
struct P {
    float x;
    int id;
    double d;
    float arr[4];
    V v;
    float2 f2;
};
template <typename T>
__device__ void exchange(T &a, T &b) {
    T c = a;
    a = b;
    b = c;
}
__device__ void halve(float &f) {
    f *= 0.5f;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        exchange(p[i].x, p[i].v.a);
        exchange(p[i].arr[1], p[i].arr[i & 3]);
        halve(p[i].arr[2]);
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
