//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
#include <memory>
#include <utility>
struct P { float x, y; };
struct Q { float x, y; };
struct R { float x, y; };
struct S { float x, y; };
struct Free { template <class T> void operator()(T *p) const { cudaFree(p); } };
struct Log { void operator()(P *p) const { printf("%p\n", (void *)p); cudaFree(p); } }; //~ LC0010 this deleter may do more with the array than to free it
struct Plain { void operator()(void *p) const { cudaFree(p); } };
__global__ void step_p(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_q(Q *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_r(R *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; } //~ LC0031 no allocation of this array is seen
__global__ void step_s(S *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    P *p;
    Q *q;
    R *r;
    S *s;
    cudaMalloc(&p, 64 * sizeof(P));
    cudaMallocManaged(&q, 64 * sizeof(Q));
    cudaMalloc(&r, 64 * sizeof(R));
    cudaMalloc(&s, 64 * sizeof(S));
    std::unique_ptr<P, Log> own_p(p);
    std::unique_ptr<Q, Plain> own_q(q);
    own_q->x = 1; //~ LC0010 an owner gives a reference to an element here
    (*own_q).y = 2; //~ LC0010 an owner gives a reference to an element here
    std::unique_ptr<R, Plain> own_r(r);
    std::shared_ptr<R> shared_r = std::move(own_r); //~ LC0010 this makes another owner or something else of it
    std::shared_ptr<S> own_s(s, Free()), other_s = own_s; //~ LC0010 this deleter may do more with the array than to free it
    bool is_less = own_s < other_s;
    step_p<<<1, 64>>>(own_p.get(), 64);
    step_q<<<1, 64>>>(own_q.get(), 64);
    step_r<<<1, 64>>>(shared_r.get(), 64);
    step_s<<<1, 64>>>(own_s.get(), is_less ? 64 : 32);
    cudaDeviceSynchronize();
    return 0;
}
