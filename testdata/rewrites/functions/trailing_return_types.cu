//@ layouts = ["* = soa", "* = tiled(32)", "* = {x}, {y id} align(8)"]
// A type behind the parameters is the function's as one in front of its name is. In a definition outside of the
// class it is looked up in the class.
#include <cstdio>
#include <cstdlib>
struct Made {
    double none;
};
struct Body {
    struct Made {
        float x, y;
    };
    float x, y;
    int id;
    [[nodiscard]] __host__ __device__ auto doubled() const -> Body {
        Body b = *this;
        b.x *= 2;
        return b;
    }
    __device__ auto made() const -> Made;
    __device__ auto shift(float by) -> Body & {
        x += by;
        return *this;
    }
};
__device__ auto Body::made() const -> Made { return {y, x}; }
[[nodiscard]] __device__ auto body(float y) -> Body;
__device__ auto body(float y) -> Body {
    Body b;
    b.x = y;
    b.y = -y;
    b.id = 3;
    return b;
}
__device__ auto first(Body *p) -> Body * { return p; }
auto device_bodies(int n) -> Body * {
    Body *d;
    cudaMalloc(&d, n * sizeof(Body));
    return d;
}
__global__ auto step(Body *p, int n) -> void {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i] = p[i].doubled();
    p[i].x += p[i].made().x;
    p[i].shift(1.0f).shift(2.0f);
    if (i % 3 == 0)
        p[i] = body(first(p)[i].y);
}
int main() {
    int n = 100;
    Body *h = (Body *)malloc(n * sizeof(Body));
    for (int i = 0; i < n; i++) {
        h[i].x = i;
        h[i].y = 2 * i;
        h[i].id = i % 7;
    }
    Body *d = device_bodies(n);
    cudaMemcpy(d, h, n * sizeof(Body), cudaMemcpyHostToDevice);
    step<<<(n + 31) / 32, 32>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%g %g %d\n", h[i].x, h[i].y, h[i].id);
    cudaFree(d);
    free(h);
}
