//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <pair_of_numbers.h>
struct P { float x, y; };
struct App { PairOfNumbers range; P *d; int n; };
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    App app = {0, 1, d};
    step<<<1, 64>>>(app.d, app.n);
    cudaFree(d);
    return 0;
}
