//@ layout = "P = soa"
struct P {
    float x, y;
};
#define PAIR 1, 2
__device__ float g(P *p, int a) { return p[a].x; }
__device__ float g(P *p, int a, int b) { return p[a].x + b; }
__global__ void step(P *p) {
    p[threadIdx.x].y = g(p + 1, PAIR); //~ LC0077 this construct is not modelled and mentions `p`
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 64>>>(d);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
