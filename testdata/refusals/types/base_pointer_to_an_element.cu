//@ layout = "P = soa"
struct Base {
    float x;
    int id;
};
struct P : Base {
    float mass;
};
__global__ void step(P *p, int n) { //~ LC0011 a value of another type also reaches this pointer
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Base *b = &p[i]; //~ LC0020 the type of `b` is not `P *`
        b->x += 1.0f;
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
