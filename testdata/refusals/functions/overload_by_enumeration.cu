//@ layout = "P = soa"
enum Kind { SMALL, LARGE };
struct P {
    float x;
    int id;
    __device__ void add(Kind k) {
        x += k;
    }
    __device__ void add(int k) {
        x -= k;
    }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].add(LARGE); //~ LC0034 it is not clear which member function this calls
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
