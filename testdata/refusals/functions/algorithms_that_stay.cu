//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/sort.h>
// What is called with elements may change one, is a template, or is not seen.
struct A { float x; int live; };
struct Changes { __device__ bool operator()(A &a) const { return a.live++ > 0; } };
struct B { float x; int live; };
struct Generic { template <class T> __device__ bool operator()(const T &b) const { return b.live > 0; } };
struct C { float x; int live; };
__device__ bool operator<(const C &a, const C &b) { return a.x < b.x; }
// A policy for the host, a name without its namespace, and two arrays as one range.
struct D { float x; int live; };
struct LiveD { __host__ __device__ bool operator()(const D &d) const { return d.live > 0; } };
struct E { float x; int live; };
struct LiveE { __host__ __device__ bool operator()(const E &e) const { return e.live > 0; } };
// Device code that calls an algorithm.
struct F { float x; int live; };
struct LiveF { __host__ __device__ bool operator()(const F &f) const { return f.live > 0; } };
// A macro that stands for a pointer.
#define END(p) ((p) + 64) //~ LC0024 an algorithm is given what this macro stands for
struct G { float x; int live; };
struct LiveG { __host__ __device__ bool operator()(const G &g) const { return g.live > 0; } };
template <class T> __global__ void step(T *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].live; }
__global__ void inside(F *p, int n) {
    thrust::partition(thrust::device, p, p + n, LiveF()); //~ LC0010 an algorithm that device code calls
    p[threadIdx.x].x += 1;
}
int main() {
    int n = 64;
    A *a; cudaMalloc(&a, n * sizeof(A)); step<<<1, 64>>>(a, n);
    B *b; cudaMalloc(&b, n * sizeof(B)); step<<<1, 64>>>(b, n);
    C *c; cudaMalloc(&c, n * sizeof(C)); step<<<1, 64>>>(c, n);
    D *d; cudaMalloc(&d, n * sizeof(D)); step<<<1, 64>>>(d, n);
    E *e; cudaMalloc(&e, n * sizeof(E)); step<<<1, 64>>>(e, n);
    F *f; cudaMalloc(&f, n * sizeof(F)); inside<<<1, 64>>>(f, n);
    thrust::partition(thrust::device, a, a + n, Changes()); //~ LC0010 the algorithm compares or tests elements with something that is not seen to take them as values or constant references
    thrust::partition(thrust::device, b, b + n, Generic()); //~ LC0010 the algorithm compares or tests elements with something that is not seen to take them as values or constant references
    thrust::sort(thrust::device, c, c + n); //~ LC0010 the algorithm compares or tests elements with something that is not seen to take them as values or constant references
    thrust::partition(thrust::host, d, d + n, LiveD()); //~ LC0010 no definition of `partition` is found, and it may access the array
    G *g; cudaMalloc(&g, n * sizeof(G)); step<<<1, 64>>>(g, n);
    thrust::partition(thrust::device, g, END(g), LiveG());
    using namespace thrust;
    partition(device, e, e + n, LiveE()); //~ LC0010 no definition of `partition` is found, and it may access the array
    return 0;
}
