//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// `std::move` of an object that is copied as it is moved.
#include <cstdio>
#include <cstdlib>
#include <utility>
struct Body {
    float x, y;
    int id;
};
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Body b = p[i];
    b.x += 1.0f;
    p[i] = std::move(b);
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
