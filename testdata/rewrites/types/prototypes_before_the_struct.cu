//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// Prototypes need no more of a type than its name.
#include <cstdio>
#include <cstdlib>
void make(struct Body *&bodies, int n);
struct Body;
__global__ void step(Body *p, int n);
Body *moved(Body *from);
struct Body {
    float x, y;
    int id;
};
void make(Body *&bodies, int n) { cudaMalloc(&bodies, n * sizeof(Body)); }
Body *moved(Body *from) { return from; }
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
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
    make(d, n);
    cudaMemcpy(d, h, n * sizeof(Body), cudaMemcpyHostToDevice);
    step<<<(n + 31) / 32, 32>>>(moved(d), n);
    cudaMemcpy(h, d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%g %g %d\n", h[i].x, h[i].y, h[i].id);
    cudaFree(d);
    free(h);
}
