//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
static __global__ void __launch_bounds__(128) step(P *p, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    p[i].x += 1.0f;
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
