//@ layout = "P = soa"
#include <cuda_runtime.h>
struct P { float a, b; };
#define G(p, i) p##_p[(i)].a
__global__ void k(P *d_p, int n) {
    int i = threadIdx.x;
    if (i < n) {
        d_p[i].b += 1;
        G(d, i) += 2; //~ LC0024 the macro `G` mentions `d_p`
    }
}
int main() {
    P *p;
    cudaMalloc(&p, 7 * sizeof(P));
    k<<<1, 32>>>(p, 7);
    cudaFree(p);
}
