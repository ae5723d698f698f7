//@ layout = "P = soa"
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
__device__ float g(const P &r, float *c) {
    *c = r.x + 1.0f;
    return r.x;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float *f = &p[i].x;
        p[i].id = (int)g(p[i], f); //~ LC0081 another argument of this call may refer to a member of the element
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
