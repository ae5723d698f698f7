//@ layouts = ["P = tiled(32)", "P = soa"]
//@ known_bug = "a member of function pointer type is taken for a pointer to its result, in the generated block too"
struct P {
    float x;
    float (*callback)(int);
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].callback(i);
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
