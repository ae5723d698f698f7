//@ layout = "Dot = soa"
#define NEXT q = q + 1
struct Dot {
    float x;
    int id;
};
__device__ void poke(float *q) {
    *q = 4;
#include "next.inc"
}
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) poke(&p[i].x); //~ LC0017 code may use this member's address to reach memory outside the member
}
int main() {
    Dot *d;
    cudaMalloc(&d, 100 * sizeof(Dot));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
//- next.inc
NEXT; *(int *)q = 7;
