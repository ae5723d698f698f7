//@ layouts = ["Wire = tiled(32)", "Wire = soa"]
#pragma pack(push, 1)
struct Wire {
    char tag;
    double v;
    int id;
};
__global__ void step(Wire *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].v += p[i].id;
    }
}
#pragma pack(pop)
int main() {
    int n = 100;
    Wire *h = new Wire[n]();
    Wire *d;
    cudaMalloc(&d, n * sizeof(Wire));
    cudaMemcpy(d, h, n * sizeof(Wire), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Wire), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
