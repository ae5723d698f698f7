// A pointer to constant elements is rewritten as the array that it points into and an index, which need not be constant.
#include <cstdio>
struct P { float x; int id; };
__device__ int tag(int *) { return 1; }
__device__ int tag(const int *) { return 2; }
__global__ void k(P *p, int *out, int i) {
    const P *q = p + i;
    *out = tag(&q->id); //~ LC0017 which function is called depends on `const`, which another layout may drop here
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
