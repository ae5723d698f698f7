//@ layouts = ["P = tiled(32)", "P = soa"]
#include <utility>
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
    P *e;
    cudaMalloc(&e, n * sizeof(P));
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    P *t = d;
    d = e;
    e = t;
    std::swap(d, e);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(e);
    cudaFree(d);
    delete[] h;
    return 0;
}
