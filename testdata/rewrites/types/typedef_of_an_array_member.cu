//@ layouts = ["P = tiled(32)", "P = soa"]
typedef unsigned Words[4];
typedef float2 Pair[2];
struct P {
    Words words;
    int id;
    Pair at[3];
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].words[i & 3] += p[i].id;
        p[i].at[1][i & 1].x = 1.0f;
        P own = p[i];
        own.words[2] = 7;
        p[i] = own;
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
