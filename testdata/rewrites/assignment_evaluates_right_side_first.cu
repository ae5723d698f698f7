//@ layouts = ["P = tiled(32)", "P = soa"]
//@ known_bug = "the index is evaluated before or after the value, as the compiler likes; C++17 wants the value first"
struct P {
    float x;
    int id;
};
__device__ P next(int k) {
    P q = {1.0f, k};
    return q;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = i;
        p[k] = next(k++);
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
