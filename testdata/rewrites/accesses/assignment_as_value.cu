//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float x;
    int id;
    float v[2];
};
__device__ P put(P *p, int i, P value) {
    return p[i] = value;
}
__device__ float first(P a) {
    return a.x + a.v[1];
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P a;
        a = p[i] = p[0];
        p[i] = p[n - 1 - i] = a;
        P b = p[i] = put(p, i, a);
        p[i].x += (p[i] = b).v[1] * 2.0f;
        if ((p[i] = a).id > 3)
            p[i].id += (int)first(p[i] = b);
        a = p[i] = {1.0f, 2, {3.0f, 4.0f}};
        P c = i > 2 ? (p[i] = a) : p[0];
        p[i].x += c.x;
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
