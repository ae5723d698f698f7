// The value of an element is a temporary, and another function takes it.
#include <cstdio>
struct P { float x; int id; };
__device__ int kind(const P &p) { return 1 + p.id; }
__device__ int kind(P &&p) { return 2 + p.id; }
__global__ void k(P *p, int *out, int i) {
    *out = kind(p[i]); //~ LC0080 another function of this name takes temporaries
}
int main() {
    P h[64];
    for (int i = 0; i < 64; i++) {
        h[i].x = i;
        h[i].id = 5;
    }
    P *d;
    int *o, r;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 1>>>(d, o, 3);
    cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
