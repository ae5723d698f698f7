//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
struct D {
    P *own;
    P *get() { return own; }
    const P *get() const { return own; }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    D e{d};
    if (e.get()[0].x > 0) //~ LC0023 host code accesses an element in device memory //~ LC0082 this names no member variable that is modelled
        return 1;
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
