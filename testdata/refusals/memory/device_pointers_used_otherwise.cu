//@ layout = "* = soa"
// What pointers into device memory do that plain ones do not.
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
struct P { float x, y; };
struct Q { float x, y; };
struct R { float x, y; };
struct S { float x, y; };
struct Holder { thrust::device_ptr<P> first; }; //~ LC0077 this construct is not modelled and mentions `first`
__global__ void step(P *p, Q *q, R *r, S *s)
{
    int i = threadIdx.x;
    p[i].x += q[i].x + r[i].x + s[i].x;
}
int main()
{
    P *p;
    Q *q;
    R *r, h[32];
    S *s;
    cudaMalloc(&p, 32 * sizeof(P));
    cudaMalloc(&q, 32 * sizeof(Q));
    cudaMalloc(&r, 32 * sizeof(R));
    cudaMalloc(&s, 32 * sizeof(S));
    Holder holder;
    holder.first = thrust::device_pointer_cast(p);
    thrust::device_ptr<Q> null; //~ LC0077 this construct is not modelled and mentions `null`
    null = thrust::device_pointer_cast(q);
    thrust::device_ptr<R> first(r);
    thrust::copy(first, first + 32, h); //~ LC0010 no definition of `copy` is found
    thrust::device_ptr<S> t(s);
    S one = t[3]; //~ LC0077 this construct is not modelled
    step<<<1, 32>>>(holder.first.get(), null.get(), first.get(), t.get());
    return (int)one.x;
}
