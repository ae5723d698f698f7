//@ layouts = ["P = soa", "P = tiled(32)"]
#include <vector>
#include <cstdio>
struct P { float x, y; int id; };
struct Step { P *p; float dt; __device__ void operator()(int i) const { P &q = p[i]; q.x += q.y * dt; } };
class Sum { const P *p; float *out; public: __host__ __device__ Sum(const P *p, float *out) : p(p), out(out) {} __device__ float operator()(int i, float by) { out[i] = p[i].x * by; return out[i]; } };
template <class F> __global__ void each(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
__global__ void sums(int n, Sum s) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) s(i, 2.f); }
int main() { int n = 100; std::vector<P> h(n); std::vector<float> o(n); for (int i = 0; i < n; i++) h[i] = {float(i), 1.f, i}; P *d; float *out; cudaMalloc(&d, n * sizeof(P)); cudaMalloc(&out, n * sizeof(float)); cudaMemcpy(d, h.data(), n * sizeof(P), cudaMemcpyHostToDevice); each<<<1, 128>>>(n, Step{d, 1.f}); Step s{d, 2.f}; each<<<1, 128>>>(n, s); sums<<<1, 128>>>(n, Sum(d, out)); cudaMemcpy(h.data(), d, n * sizeof(P), cudaMemcpyDeviceToHost); cudaMemcpy(o.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost); printf("%f %f\n", h[7].x, o[9]); }
