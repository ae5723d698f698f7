//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
#define GET(p, x, f) (p)[x].f
#define SET(p, i, id) (p)[i].id = id
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 2;
    if (i < n) {
        GET(p, i, x) += 1.0f;
        GET(p, n - 1 - i, id) += 1;
        SET(p, i, x);
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
