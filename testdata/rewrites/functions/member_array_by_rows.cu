//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
struct P {
    float f[9];
    int id;
    float m[3][3];
};
__device__ float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float *row = p[i].m[2];
        float s = dot(p[i].m[0], p[i].m[1]) + dot(row, p[i].m[1]);
        p[i].m[1][2] = s + row[1];
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
