//@ layout = "* = soa"
// A reference sees what another argument stores; a copy of the element may not.
#include <utility>
struct V { float x, y; };
struct Ray { V o; float t; __device__ Ray(const V &o, float t) : o(o), t(t) {} };
struct Mark { float v; __device__ Mark(V *p, int i) { p[i].x = 4; v = 2; } };
__device__ float bump(V *p, int i) { p[i].x += 10; return 1; }
__device__ V moved(V *p, int i) { p[i].x += 10; return V{1, 2}; }
__device__ float read(const V &a, float t) { return a.x + t; }
__device__ float marked(const V &a, Mark m) { return a.x + m.v; }
__device__ float dot(const V &a, const V &b) { return a.x * b.x; }
__device__ V operator+(const V &a, const V &b) { return V{a.x + b.x, a.y + b.y}; }
__global__ void a(V *p, float *out) { int i = threadIdx.x; Ray r(p[i], bump(p, i)); out[i] = r.o.x; } //~ LC0081 this may change the element that another argument refers to
__global__ void b(V *p, float *out) { int i = threadIdx.x; Ray r{p[i], bump(p, i)}; out[i] = r.o.x; } //~ LC0081 this may change the element that another argument refers to
__global__ void c(V *p, float *out) { int i = threadIdx.x; out[i] = dot(moved(p, i), p[i]); } //~ LC0081 this may change the element that another argument refers to
__global__ void d(V *p, float *out) { int i = threadIdx.x; out[i] = read(p[i], p[i].x += 7); } //~ LC0081 this may change the element that another argument refers to
__global__ void e(V *p, float *out) { int i = threadIdx.x; const V &v = p[i]; out[i] = read(v, bump(p, i)); } //~ LC0081 this may change the element that another argument refers to
__global__ void f(V *p, float *out) { int i = threadIdx.x; V v = p[i] + moved(p, i); out[i] = v.x; } //~ LC0081 this may change the element that another argument refers to
__global__ void g(V *p, float *out) { int i = threadIdx.x; out[i] = read(p[i], atomicExch(&p[i].x, 7.0f)); } //~ LC0081 this may change the element that another argument refers to
__global__ void h(V *p, float *out) { int i = threadIdx.x; out[i] = read(p[i ^ 1], __syncthreads_count(1)); } //~ LC0081 this may change the element that another argument refers to
__global__ void k(V *p, float *out) { int i = threadIdx.x; out[i] = marked(p[i], Mark(p, i)); } //~ LC0081 this may change the element that another argument refers to
__global__ void l(V *p, float *out) { int i = threadIdx.x; out[i] = read(p[i], std::exchange(p[i].x, 3.0f)); } //~ LC0081 this may change the element that another argument refers to
int main() {
    float *out;
    cudaMalloc(&out, 256);
    V *pa, *pb, *pc, *pd, *pe, *pf, *pg, *ph, *pk, *pl;
    cudaMalloc(&pa, 64 * sizeof(V));
    cudaMalloc(&pb, 64 * sizeof(V));
    cudaMalloc(&pc, 64 * sizeof(V));
    cudaMalloc(&pd, 64 * sizeof(V));
    cudaMalloc(&pe, 64 * sizeof(V));
    cudaMalloc(&pf, 64 * sizeof(V));
    cudaMalloc(&pg, 64 * sizeof(V));
    cudaMalloc(&ph, 64 * sizeof(V));
    cudaMalloc(&pk, 64 * sizeof(V));
    cudaMalloc(&pl, 64 * sizeof(V));
    a<<<1, 64>>>(pa, out);
    b<<<1, 64>>>(pb, out);
    c<<<1, 64>>>(pc, out);
    d<<<1, 64>>>(pd, out);
    e<<<1, 64>>>(pe, out);
    f<<<1, 64>>>(pf, out);
    g<<<1, 64>>>(pg, out);
    h<<<1, 64>>>(ph, out);
    k<<<1, 64>>>(pk, out);
    l<<<1, 64>>>(pl, out);
    return 0;
}
