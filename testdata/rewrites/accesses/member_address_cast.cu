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
__device__ double add(double *to, double value) {
    unsigned long long *bits = (unsigned long long *)to;
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicCAS((unsigned *)&p[i].id, 0u, 1u);
        atomicExch(reinterpret_cast<int *>(&p[i].x), __float_as_int(2.0f));
        add(&p[i].d, 1.5);
        *(unsigned char *)&p[i].id = 3;
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
