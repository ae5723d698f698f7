//@ layouts = ["* = tiled(32)", "* = soa"]
// Constructors that copy what they are given take copies of elements.
#include <cstdio>
struct V {
    float x, y, z;
    __host__ __device__ V() {}
    __host__ __device__ V(float x, float y, float z) : x(x), y(y), z(z) {}
};
__host__ __device__ V sum(const V &a, const V &b) { return V(a.x + b.x, a.y + b.y, a.z + b.z); }
struct Ray {
    V origin, direction;
    __host__ __device__ Ray(const V &o, const V &d) : origin(o), direction(d) {}
    __host__ __device__ V at(float t) const { return V(origin.x + t * direction.x, origin.y + t * direction.y, origin.z + t * direction.z); }
};
struct Box {
    V low, high;
    float size;
    __host__ __device__ Box(const V &low, const V &high) : low(low), high(sum(low, high)) { size = high.x - low.x; }
};
__global__ void fill(V *a, V *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { a[i] = V(i, 1, 2); b[i] = V(0.5f, i, 3); }
}
__global__ void trace(const V *a, const V *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray ray(a[i], b[i]);
    const V &last = b[n - 1 - i];
    Ray other(ray.at(2), last);
    V p = Ray(sum(a[i], b[i]), a[n - 1]).at(0.5f);
    Box box(a[i], last);
    out[i] = ray.at(1).x + other.at(3).y + p.z + box.size + box.high.y;
}
int main() {
    const int n = 100;
    V *a, *b;
    float *out, h[n], sum = 0;
    cudaMalloc(&a, n * sizeof(V));
    cudaMalloc(&b, n * sizeof(V));
    cudaMalloc(&out, n * sizeof(float));
    fill<<<2, 64>>>(a, b, n);
    trace<<<2, 64>>>(a, b, out, n);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += h[i];
    printf("%g\n", sum);
    cudaFree(a); cudaFree(b); cudaFree(out);
    return 0;
}
