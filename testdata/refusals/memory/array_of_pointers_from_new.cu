//@ layout = "P = soa"
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
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    P **parts = new P *[4]; //~ LC0031 it cannot be seen what this points to
    cudaMalloc(&parts[1], n * sizeof(P));
    step<<<1, 1>>>(parts[1], n);
    delete[] parts; //~ LC0020 the address of the pointer is used in a way that is not followed
    parts[2] = d;
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
