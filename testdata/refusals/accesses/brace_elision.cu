//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
struct D {
    P *p[2];
    int n;
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
    D e = {d, d, n}; //~ LC0079 a pointer is put into an object that is not followed //~ LC0082 the object holds the array, and this list does not say which member each item fills
    step<<<1, 128>>>(e.p[1], n);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
