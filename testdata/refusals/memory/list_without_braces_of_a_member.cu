//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <array>
struct P { float x, y; };
struct App { std::array<int, 2> range; P *d; int n; };
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    App app = {0, 1, d}; //~ LC0079 a pointer is put into an object that is not followed //~ LC0082 the object holds the array, and this list does not say which member each item fills
    step<<<1, 64>>>(app.d, app.n);
    cudaFree(d);
    return 0;
}
