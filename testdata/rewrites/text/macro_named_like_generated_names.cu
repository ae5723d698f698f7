//@ layout = "P = soa"
#define n 50
#define count 7
#define tile 9
#define value 3
#define error 4
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        p[i].x += 1.0f;
    }
}
int main() {
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
