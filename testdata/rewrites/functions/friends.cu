//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// Friends that a class defines are functions of the namespace; friend classes and prototypes say nothing of the
// elements.
#include <cstdio>
#include <cstdlib>
class Solver;
struct Body {
    typedef float value_type;
    value_type x, y;
    int id;
    friend class Solver;
    friend struct Other;
    friend __host__ __device__ value_type length(const Body &b) { return b.x * b.x + b.reach(); }
    friend __device__ Body operator+(const Body &a, const Body &b) {
        Body c;
        c.x = a.x + b.x;
        c.y = a.y - b.y;
        c.id = a.id;
        return c;
    }
    friend __device__ bool operator<(Body a, Body b) { return a.x < b.x; }
    friend __device__ float weight(const Body &b);
    __host__ __device__ float reach() const { return y; }
};
__device__ float weight(const Body &b) { return 0.5f * b.x; }
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Body other = p[i];
    other.x += i % 2;
    if (p[i] < other)
        p[i].y = length(p[i]) + weight(p[i]);
    p[i] = p[i] + p[i];
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
