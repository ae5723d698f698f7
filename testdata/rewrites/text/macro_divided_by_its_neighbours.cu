//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
#define ROW i + n
#define SUM(a, b) a + b
#define SCALE(v) v * 2
__global__ void step(P *p, P *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[ROW - n].x += SUM(p[i].x, 1) * 2;
        o[i].x = SCALE(p[i].x + 1);
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d, *e;
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&e, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(e, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, e, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaMemcpy(h, e, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
    delete[] h;
    return 0;
}
