//@ layouts = ["* = soa", "* = tiled(32)"]
// `struct P;` in a namespace is not the class of that name around it; text may stand behind it on its line.
#include <cstdio>
struct P { float x, y; int id; };
namespace n { struct P; struct Holder { P *dev; int n; }; }
namespace n {
struct P { double x, y; int id; };
}
__global__ void step(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void fill(n::Holder h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h.n) { h.dev[i].x = 1.0 / (i + 3); h.dev[i].y = 2.0 / (i + 7); h.dev[i].id = i; }
}
int main() {
    P a[100] = {}, *d;
    a[99].y = 2;
    cudaMalloc(&d, sizeof(a));
    cudaMemcpy(d, a, sizeof(a), cudaMemcpyHostToDevice);
    step<<<2, 64>>>(d, 100);
    cudaMemcpy(a, d, sizeof(a), cudaMemcpyDeviceToHost);
    n::Holder h{nullptr, 100};
    n::P b[100];
    cudaMalloc(&h.dev, 100 * sizeof(n::P));
    fill<<<2, 64>>>(h);
    cudaMemcpy(b, h.dev, sizeof(b), cudaMemcpyDeviceToHost);
    printf("%g %.12g %.12g %d\n", a[99].x, b[50].x, b[99].y, b[98].id);
    cudaFree(d);
    cudaFree(h.dev);
}
