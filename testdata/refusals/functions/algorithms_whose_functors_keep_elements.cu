//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/partition.h>
#include <thrust/transform.h>
// An iterator gives a copy of the element: what writes through the reference, or takes its address, needs the element.
struct A { float x; int live; };
struct Writes { __device__ void operator()(const A &a) const { const_cast<A &>(a).x = 1; } };
struct B { float x; int live; };
struct Next { __device__ float operator()(const B &b) const { return (&b)[1].x; } };
// With a `const` it would override nothing.
struct C { float x; int live; };
struct Test { __device__ virtual bool operator()(C &c) const { return c.live > 1; } };
struct Live : Test { __device__ bool operator()(C &c) const { return c.live > 0; } };
template <class T> __global__ void step(T *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].live; }
int main() {
    int n = 64;
    float *f; cudaMalloc(&f, n * sizeof(float));
    A *a; cudaMalloc(&a, n * sizeof(A)); step<<<1, 64>>>(a, n);
    B *b; cudaMalloc(&b, n * sizeof(B)); step<<<1, 64>>>(b, n);
    C *c; cudaMalloc(&c, n * sizeof(C)); step<<<1, 64>>>(c, n);
    thrust::for_each(thrust::device, a, a + n, Writes()); //~ LC0010 the algorithm compares or tests elements with something that is not seen to take them as values or constant references
    thrust::transform(thrust::device, b, b + n - 1, f, Next()); //~ LC0010 the algorithm compares or tests elements with something that is not seen to take them as values or constant references
    thrust::partition(thrust::device, c, c + n, Live()); //~ LC0010 the algorithm compares or tests elements with something that is not seen to take them as values or constant references
    return 0;
}
