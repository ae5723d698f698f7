//@ layouts = ["P = soa", "P = tiled(32)"]
#include <vector>
#include <cstdio>
struct P { float x, y; int id; };
template <class F> __global__ void each(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
template <class F> void parallelFor(int n, F f) { if (n > 0) each<<<(n + 127) / 128, 128>>>(n, f); }
int main() { int n = 100; std::vector<P> h(n); for (int i = 0; i < n; i++) h[i] = {float(i), 1.f, i}; P *d; cudaMalloc(&d, n * sizeof(P)); cudaMemcpy(d, h.data(), n * sizeof(P), cudaMemcpyHostToDevice);
  const float dt = 0.5f;
  parallelFor(n, [=] __device__ (int i) { P &p = d[i]; p.x += p.y * dt; });
  P *second = d + 50;
  parallelFor(50, [second, dt] __device__ (int i) { P q = second[i]; q.id += 2; second[i] = q; });
  parallelFor(n, [d] __host__ __device__ (int i) { d[i].y *= 2; });
  cudaMemcpy(h.data(), d, n * sizeof(P), cudaMemcpyDeviceToHost); float s = 0; for (auto &p : h) s += p.x * p.id + p.y; printf("%f\n", s); cudaFree(d); }
