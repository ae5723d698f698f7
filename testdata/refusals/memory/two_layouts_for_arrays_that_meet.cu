//@ layouts = ["d = soa", "e = tiled(32)"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    P *d;
    P *e;
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&e, n * sizeof(P));
    step<<<1, 128>>>(d, n); //~ LC0021 `d = soa` and `e = tiled(32)` ask for different layouts of arrays that one pointer may point to
    step<<<1, 128>>>(e, n);
    cudaFree(d);
    cudaFree(e);
    return 0;
}
