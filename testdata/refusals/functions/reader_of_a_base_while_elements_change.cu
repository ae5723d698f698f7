//@ layout = "P = soa"
struct Base {
    float x;
    int id;
};
struct P : Base {
    float mass;
};
__device__ float both(const Base &b, P *q) { //~ LC0011 a value of another type also reaches this pointer
    q->x = 5.0f;
    return b.x;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].mass = both(p[i], p + i); //~ LC0020 parameter `b` of `both` is not a pointer to the element type
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
