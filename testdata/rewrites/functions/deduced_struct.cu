//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// `auto` in front of a function that returns a struct by value.
#include <cstdio>
#include <cstdlib>
struct Body {
    float x, y;
    int id;
};
__device__ auto twice(Body b) {
    b.x *= 2;
    return b;
}
__device__ auto larger(const Body &a, const Body &b) {
    if (a.x < b.x)
        return b;
    else
        return a;
}
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    auto own = twice(p[i]);
    auto other = p[i];
    other.x += i % 2;
    p[i] = larger(own, other);
    p[i] = twice(p[i]);
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
