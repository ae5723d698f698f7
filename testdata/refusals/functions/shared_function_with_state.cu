//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ int bumps;
__device__ void bump(P *q) {
    static int calls = 0;
    bumps = ++calls;
    q->x += 1.0f;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P own = p[i];
        bump(&own); //~ LC0030 code that uses the array also gets `own`, which is not an element of it
        bump(&p[i]);
        p[i].id = own.id;
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
