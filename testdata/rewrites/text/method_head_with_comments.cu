//@ layout = "P = soa"
#include <cstdio>
struct P { int a, b, c; __device__ /* go(int) { */ void go(int i /* { */) // go( {
    { a += i; b ^= a; } };

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].go(i);
}

int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    cudaFree(d);
    delete[] h;
    return 0;
}
