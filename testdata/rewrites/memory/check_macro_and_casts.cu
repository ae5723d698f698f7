//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdlib>
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
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
    CHECK(cudaMalloc(reinterpret_cast<void **>(&d), sizeof(P) * n));
    CHECK(cudaMemcpy((void *)d, (const void *)h, sizeof(P) * n, cudaMemcpyHostToDevice));
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
