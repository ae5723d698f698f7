//@ layouts = ["P = soa", "P = tiled(32)"]
#include <cstdio>
struct P { int a, b, c; };
#define AS(T, x) ((T *)(x))
#define CALL(x) sum(x)
#define PTR(x) (x)
#define AT(x, i) (&(x)[i])
__device__ int sum(const P *q) { return q->a + q[0].b; }
__device__ int whole(const P *q, int i) { return q[i].a + q[i].b; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].c = sum(AT(p, i)) + whole(AS(P, p), i) + sum(AS(P, p + i)) + sum(PTR(p) + i) + CALL(p + i) + CALL(&p[i]) + sum(PTR(p + i)) + AS(P, p)[i].a;
}
int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(AS(P, d), h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(AS(P, d), n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    cudaFree(AS(P, d));
    delete[] h;
    return 0;
}
