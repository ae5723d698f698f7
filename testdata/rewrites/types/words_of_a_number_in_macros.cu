//@ layouts = ["* = soa", "* = tiled(32)", "* = {x y}, {id seed}, {kind group}"]
// `unsigned MACRO`, as headers for several compilers have it.
#include <cstdio>
#include <cstdlib>
#define INT16 short
#define WIDE int
#define WORD WIDE
struct Body {
    float x, y;
    int id;
    unsigned INT16 kind, group;
    unsigned WORD seed;
};
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].kind = i;
    p[i].seed = 3u * i;
    p[i].x += p[i].y + p[i].kind + p[i].seed % 5;
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
