//@ layout = "P = soa"
struct Base {
    float x;
    int id;
};
__device__ void bump(Base &b) {
    b.x += 1.0f;
}
struct P : Base {
    float mass;
};
__global__ void step(P *p, int n) { //~ LC0011 a value of another type also reaches this pointer
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bump(p[i]); //~ LC0020 parameter `b` of `bump` is not a pointer to the element type
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
