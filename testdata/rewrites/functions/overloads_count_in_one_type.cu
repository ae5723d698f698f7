//@ layout = "P = tiled(32)"
#include <cstdio>
struct P {
    float x;
    int id;
    __host__ __device__ void add(float amount) { x += 2 * amount; }
    __host__ __device__ void add(int amount) { x += amount; }
};
__device__ void move(P *p, float amount) { p->x -= amount; }
__device__ void move(P *p, int amount) { p->id -= amount; }
__global__ void step(P *p, int n) {
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].add(3);
        p[3].add(1.5f);
        int k = n > 50 ? 5 : 4;
        p[k].add(2);
        move(p + i, 2);
        move(p + k, 1);
        move(p + 3, 0.5f);
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 1>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", h[0].x, h[3].x, h[5].id);
    cudaFree(d);
    delete[] h;
    return 0;
}
