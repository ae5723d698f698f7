//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
#include <cstdio>
#include <cstdlib>
namespace sim {
struct Body {
    float x, y;
    int id;
    static __host__ __device__ Body zero() { return Body{0, 1, 2}; }
    static __host__ __device__ Body at(float x) { return Body{x, 1, 2}; }
};
} // namespace sim
using sim::Body;
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i] = i % 2 == 0 ? p[i] : sim::Body::zero();
    if (i % 3 == 0)
        p[i] = sim::Body::at(p[i].y);
}
int main() {
    int n = 100;
    Body *h = (Body *)malloc(n * sizeof(Body));
    for (int i = 0; i < n; i++) {
        h[i].x = i;
        h[i].y = 2 * i;
        h[i].id = i % 7;
    }
    Body *d;
    cudaMalloc(&d, n * sizeof(Body));
    cudaMemcpy(d, h, n * sizeof(Body), cudaMemcpyHostToDevice);
    step<<<(n + 31) / 32, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%g %g %d\n", h[i].x, h[i].y, h[i].id);
    cudaFree(d);
    free(h);
}
