//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// A null pointer as a default argument is the null of the new type.
#include <cstdio>
#include <cstdlib>
struct Body {
    float x, y;
    int id;
};
__device__ float height(const Body *p, int i, const Body *other = nullptr);
__device__ float height(const Body *p, int i, const Body *other) { return other ? other[i].x : p[i].y; }
__device__ float sum(float start, const Body *from = NULL, int n = 1) {
    if (from == nullptr)
        return start;
    for (int i = 0; i < n; i++, from++)
        start += from->y;
    return start;
}
__global__ void step(Body *p, int n, Body *other = nullptr) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x = height(p, i) + height(p, i, p) + sum(1) + sum(2, p + i) + sum(3, p, 2);
    if (other != nullptr)
        other[i].id++;
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
    step<<<(n + 31) / 32, 32>>>(d, n, d);
    cudaMemcpy(h, d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%g %g %d\n", h[i].x, h[i].y, h[i].id);
    cudaFree(d);
    free(h);
}
