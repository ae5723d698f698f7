//@ layout = "* = soa"
// Members that the specialisation would compile, and others that name members which it does not have.
#include <utility>
struct A { float x, y; };
template <class T> struct View { //~ LC0029 the text of this class template would change, and what it does with its parameters is not modelled
    T *p;
    int n;
    __device__ float first() const { return p[0].x; }
    __device__ void set(int i, float x) const;
};
template <class T> __device__ void View<T>::set(int i, float x) const { p[i].x = x; }
__global__ void of_a(A *a, View<const A> v) { a[threadIdx.x].y = v.first(); }

struct B { float x, y; __device__ void step() { x += y; } };
template <class T> struct Stepping { //~ LC0029 the text of this class template would change, and a member for host and device calls a function for the device alone
    T *p;
    __host__ __device__ void step(int i) const { p[i].step(); }
};
__global__ void of_b(Stepping<B> v) { v.step(threadIdx.x); }

template <class T> struct Linked { //~ LC0029 the text of this class template would change in a linkage block
    T *p;
    __device__ void step(int i) const { p[i].x += p[i].y; }
};
extern "C" {
struct C { float x, y; };
}
__global__ void of_c(Linked<C> v) { v.step(threadIdx.x); }

struct D { float x, y; };
template <class T> struct Pointed {
    T *p;
    __host__ __device__ T &operator[](int i) const { return p[i]; } //~ LC0080 a function that gives back an element may be named other than by a call
};
template <class V> using Item = std::remove_reference_t<decltype(std::declval<V>()[0])>;
__global__ void of_d(Pointed<D> v) {
    int i = threadIdx.x;
    v[i].x += 1;
}

template <class T> struct Late { //~ LC0029 the text of this class template would change behind declarations that could give it another meaning
    T *p;
    __device__ void step(int i) const { p[i].x += value(i); }
    __device__ static float value(double v) { return v; }
};
namespace other { __device__ inline float value(int i) { return i; } }
using other::value;
struct E { float x, y; };
__global__ void of_e(Late<E> v) { v.step(threadIdx.x); }

struct F { float x, y; };
namespace names {
using F = int;
template <class T> struct Stepped { //~ LC0029 an argument of this instance has the name of something else there
    T *p;
    __device__ void step(int i) const { p[i].x += p[i].y; }
};
}
__global__ void of_f(names::Stepped<F> v) { v.step(threadIdx.x); }

int main() {
    A *a;
    B *b;
    C *c;
    D *d;
    E *e;
    cudaMalloc(&a, 64 * sizeof(A));
    cudaMalloc(&b, 64 * sizeof(B));
    cudaMalloc(&c, 64 * sizeof(C));
    cudaMalloc(&d, 64 * sizeof(D));
    cudaMalloc(&e, 64 * sizeof(E));
    of_a<<<1, 64>>>(a, View<const A>{a, 64});
    of_b<<<1, 64>>>(Stepping<B>{b});
    of_c<<<1, 64>>>(Linked<C>{c});
    of_d<<<1, 64>>>(Pointed<D>{d});
    of_e<<<1, 64>>>(Late<E>{e});
    F *f;
    cudaMalloc(&f, 64 * sizeof(F));
    of_f<<<1, 64>>>(names::Stepped<F>{f});
    return (int)sizeof(Item<Pointed<D>>);
}
