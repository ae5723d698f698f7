//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
struct Q {
    int a, b;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
__global__ void other(Q *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i].a += q[i].b;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    void *scratch = d; //~ LC0020 the type of `scratch` is not `P *`
    step<<<1, 128>>>((P *)scratch, n); //~ LC0031 it cannot be seen what this points to
    other<<<1, 128>>>((Q *)scratch, n); //~ LC0031 it cannot be seen what this points to
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
