//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
#define IF_X(q, k) if ((q)[k].x > 0) {
#define END }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        IF_X(p, i) //~ LC0077 this construct is not modelled and mentions `p`
        n = 1;
        END
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
