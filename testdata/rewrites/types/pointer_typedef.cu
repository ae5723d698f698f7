//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// A typedef of a pointer gives way to the pointer.
#include <cstdio>
#include <cstdlib>
typedef struct Body {
    float x, y;
    int id;
} Body, *BodyPtr;
typedef const Body *BodyView;
using Bodies = Body *;
struct Scene {
    BodyPtr bodies;
    int n;
};
__device__ float total(BodyView from, BodyView to) {
    float sum = 0;
    for (BodyView q = from; q != to; ++q)
        sum += q->y;
    return sum;
}
__device__ BodyPtr all(BodyPtr p) { return p; }
__global__ void step(Bodies p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    BodyPtr own = p + i;
    own->x += total(all(p), p + 3);
}
int main() {
    int n = 100;
    Body *h = (Body *)malloc(n * sizeof(Body));
    for (int i = 0; i < n; i++) {
        h[i].x = i;
        h[i].y = 2 * i;
        h[i].id = i % 7;
    }
    BodyPtr d = NULL;
    cudaMalloc(&d, n * sizeof(Body));
    cudaMemcpy(d, h, n * sizeof(Body), cudaMemcpyHostToDevice);
    Scene scene;
    scene.bodies = d;
    scene.n = n;
    step<<<(n + 31) / 32, 32>>>(scene.bodies, scene.n);
    cudaMemcpy(h, d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%g %g %d\n", h[i].x, h[i].y, h[i].id);
    cudaFree(d);
    free(h);
}
