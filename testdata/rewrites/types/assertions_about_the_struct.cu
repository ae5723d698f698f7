//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// What is asserted of the struct stays true: the struct stays as it is.
#include <cstdio>
#include <cstdlib>
#include <cstddef>
#include <type_traits>
struct Body {
    float x, y;
    int id;
};
static_assert(std::is_trivially_copyable_v<Body>);
static_assert(std::is_trivially_destructible_v<Body> && std::is_standard_layout_v<Body>, "plain");
static_assert(!std::is_same_v<Body, float> && std::is_class<Body>::value);
static_assert(sizeof(Body) == 12 && alignof(Body) == 4);
static_assert(offsetof(Body, y) == 4, "read by another program");
__global__ void step(Body *p, int n) {
    static_assert(sizeof(Body) % 4 == 0);
    static_assert(std::is_trivially_copyable_v<Body>);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if constexpr (std::is_aggregate_v<Body>) {
        if (i < n)
            p[i].x += p[i].y;
    }
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
