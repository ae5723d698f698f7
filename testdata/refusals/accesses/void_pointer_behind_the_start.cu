//@ layout = "P = tiled(32)"
struct P {
    float x;
    int id;
};
__device__ float first(const void *any) { //~ LC0020 this has no type and may point behind the first element
    return ((const P *)any)->x;
}
__global__ void step(P *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = first(p + i);
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    float *out;
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, out, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
