//@ layout = "* = soa"
#include <cuda_runtime.h>
struct P { float v[300]; int id; };
__global__ void k(P *p, const P *q, int n) { //~ LC0078 the pointers that this kernel would be given have 4816 bytes, and its parameters have room for 4096
    int i = threadIdx.x;
    if (i < n)
        for (int j = 0; j < 300; j++)
            p[i].v[j] += q[i].v[j];
}
int main() {
    P *p, *q;
    cudaMalloc(&p, 40 * sizeof(P));
    cudaMalloc(&q, 40 * sizeof(P));
    k<<<1, 64>>>(p, q, 40);
    return 0;
}
