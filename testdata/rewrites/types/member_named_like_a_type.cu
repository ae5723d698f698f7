//@ layouts = ["Dot = tiled(32)", "Dot = soa"]
using cells = int;
struct Part {
    cells at[2];
};
struct Dot {
    Part part;
    float cells;
};
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].cells += p[i].part.at[1];
    }
}
int main() {
    int n = 100;
    Dot *h = new Dot[n]();
    Dot *d;
    cudaMalloc(&d, n * sizeof(Dot));
    cudaMemcpy(d, h, n * sizeof(Dot), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Dot), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
