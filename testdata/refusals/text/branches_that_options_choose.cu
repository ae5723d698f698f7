//@ layout = "* = soa"
// An option of the compiler, or another branch, may decide what is compiled.
#include <cuda_runtime.h>
#ifndef GUARDED
#define GUARDED 1
#endif
#ifdef OTHER
#define CHOSEN 1
#else
#define CHOSEN 2
#endif
#define UNDONE 0
#undef UNDONE
#define OF_ANOTHER GUARDED
#define SETTLED 1
template <class T> __global__ void step(T *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
struct A { float x, y; };
struct B { float x, y; };
struct C { float x, y; };
struct D { float x, y; };
struct E { float x, y; };
struct F { float x, y; };
int main() {
    A *a; cudaMalloc(&a, 64 * sizeof(A)); step<<<1, 64>>>(a, 64);
    B *b; cudaMalloc(&b, 64 * sizeof(B)); step<<<1, 64>>>(b, 64);
    C *c; cudaMalloc(&c, 64 * sizeof(C)); step<<<1, 64>>>(c, 64);
    D *d; cudaMalloc(&d, 64 * sizeof(D)); step<<<1, 64>>>(d, 64);
    E *e; cudaMalloc(&e, 64 * sizeof(E)); step<<<1, 64>>>(e, 64);
    F *f; cudaMalloc(&f, 64 * sizeof(F)); step<<<1, 64>>>(f, 64);
#if !GUARDED //~ LC0005 this branch is not compiled and mentions `a`
    cudaMemset(a, 0, 8);
#endif
#if CHOSEN == 1 //~ LC0005 this branch is not compiled and mentions `b`
    cudaMemset(b, 0, 8);
#endif
#if UNDONE //~ LC0005 this branch is not compiled and mentions `c`
    cudaMemset(c, 0, 8);
#endif
#if !OF_ANOTHER //~ LC0005 this branch is not compiled and mentions `d`
    cudaMemset(d, 0, 8);
#endif
#if SETTLED && !GUARDED //~ LC0005 this branch is not compiled and mentions `e`
    cudaMemset(e, 0, 8);
#endif
#if !SETTLED //~ LC0005 this branch is not compiled and mentions `f`
    cudaMemset(f, 0, 8);
#elif !GUARDED
    cudaMemset(f, 0, 8);
#endif
    return 0;
}
