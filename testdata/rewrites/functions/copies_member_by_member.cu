//@ layouts = ["* = soa", "* = tiled(32)", "* = {x y}, {id}, {v}"]
// A copy constructor and an assignment that do what the compiler's would.
#include <cstdio>
#include <cstdlib>
struct Body {
    float x, y;
    int id;
    float2 v;
    __host__ __device__ Body() : x(0), y(0), id(0), v(make_float2(0, 0)) {}
    __host__ __device__ Body(const Body &other) : x(other.x), y{other.y}, v(other.v) { this->id = other.id; }
    __host__ __device__ Body &operator=(const Body &other) {
        if (this != &other) {
            id = other.id;
            x = other.x;
            y = other.y;
            v = other.v;
        }
        return *this;
    }
};
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].v = make_float2(p[i].x, p[i].y);
    Body b = p[i];
    Body c(p[i]);
    b.x += c.v.y;
    p[i] = b;
}
int main() {
    int n = 100;
    Body *h = new Body[n];
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
    delete[] h;
}
