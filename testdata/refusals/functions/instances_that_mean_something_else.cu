//@ layout = "* = soa"
// What a template means where its instance is made is not always what its text means where it stands.
struct A { float x, y; };
template <class T> __device__ void add(T *p, int i) { p[i].x = (p[i] + 1).x; } //~ LC0083 this template uses an operator, and one is declared behind it
__device__ A operator+(const A &a, int) { return a; }
__global__ void of_a(A *a) { add(a, threadIdx.x); }

template <class T> __host__ __device__ void atomic(T *p, int i) { atomicAdd(&p[i].x, 1.0f); } //~ LC0083 a template for host and device may call a function for the device alone, and its version may not
struct B { float x, y; };
__global__ void of_b(B *b) { atomic(b, threadIdx.x); }

struct C { float x, y; };
namespace lib {
struct C { int n; };
template <class T> __device__ void set(T *p, int i) { T q = p[i]; q.x = 2; p[i] = q; } //~ LC0083 an argument of this instance has the name of something else there
}
__global__ void of_c(::C *c) { lib::set(c, threadIdx.x); }

#define WIDTH 3
template <class T> __device__ void widen(T *p, int i) { p[i].x = WIDTH; } //~ LC0083 this template is declared before the struct, and something between them could give its text another meaning
#undef WIDTH
#define WIDTH 4
struct D { float x, y; };
__global__ void of_d(D *d) { widen(d, threadIdx.x); }

namespace other { __device__ inline float value(int i) { return i; } }
__device__ inline float value(double v) { return v + 1; }
template <class T> __device__ void valued(T *p, int i) { p[i].x = value(i); } //~ LC0083 this template is declared before the struct, and something between them could give its text another meaning
using namespace other;
struct E { float x, y; };
__global__ void of_e(E *e) { valued(e, threadIdx.x); }

struct F { float x, y; };
__device__ int asked() { return 1; }
template <class T> struct Base { __device__ int asked() { return 2; } };
template <class T> __device__ void inherited(T *p, int i) { //~ LC0083 a class in this template has a base, which may depend on a parameter
    struct Inner : Base<T> { __device__ int ask() { return asked(); } };
    p[i].x = Inner().ask();
}
__global__ void of_f(F *f) { inherited(f, threadIdx.x); }

struct G { float x, y; };
template <class T> void counted(T *p) {
    static int count = 0; //~ LC0083 each version of this function would have a static variable of its own
    cudaMemset(p, count++, sizeof(T));
}
__global__ void of_g(G *g) { g[threadIdx.x].x += g[threadIdx.x].y; }

struct H { float x, y; };
constexpr __host__ __device__ H loaded(const H *h, int i) { return h[i]; } //~ LC0083 a `constexpr` function would call a generated function, which is not
__global__ void of_h(H *h) { H own = loaded(h, threadIdx.x); h[threadIdx.x].x = own.y; }

struct I { float x, y; };
template <class T> T *make(size_t n) {
    T *p;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}
int make(int n) { return n; }
__global__ void of_i(I *i) { i[threadIdx.x].x += i[threadIdx.x].y; }

struct J { float3 v; int k; };
template <class T> __device__ void doubled(T *p, int i) { p[i].v = p[i].v + p[i].v; } //~ LC0083 this template uses an operator, and one is declared behind it
__device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__global__ void of_j(J *j) { doubled(j, threadIdx.x); }

struct K { float x, y; };
struct L { float x, y; };
namespace names {
typedef int K;
enum { L = 3 };
template <class T> __device__ void alias(T *p, int i) { T e = p[i]; e.x = 2; p[i] = e; } //~ LC0083 an argument of this instance has the name of something else there
template <class T> __device__ void enumerator(T *p, int i) { T e = p[i]; e.x = 2; p[i] = e; } //~ LC0083 an argument of this instance has the name of something else there
}
__global__ void of_k(K *k) { names::alias(k, threadIdx.x); }
__global__ void of_l(L *l) { names::enumerator(l, threadIdx.x); }

int main() {
    A *a;
    B *b;
    C *c;
    D *d;
    E *e;
    F *f;
    G *g;
    H *h;
    cudaMalloc(&a, 64 * sizeof(A));
    cudaMalloc(&b, 64 * sizeof(B));
    cudaMalloc(&c, 64 * sizeof(C));
    cudaMalloc(&d, 64 * sizeof(D));
    cudaMalloc(&e, 64 * sizeof(E));
    cudaMalloc(&f, 64 * sizeof(F));
    cudaMalloc(&g, 64 * sizeof(G));
    cudaMalloc(&h, 64 * sizeof(H));
    J *j;
    K *k;
    L *l;
    cudaMalloc(&j, 64 * sizeof(J));
    cudaMalloc(&k, 64 * sizeof(K));
    cudaMalloc(&l, 64 * sizeof(L));
    int n = 64;
    I *i = make<I>(n); //~ LC0083 a function of this name that is no template could be called instead of the instance
    counted(g);
    of_a<<<1, 64>>>(a);
    of_b<<<1, 64>>>(b);
    of_c<<<1, 64>>>(c);
    of_d<<<1, 64>>>(d);
    of_e<<<1, 64>>>(e);
    of_f<<<1, 64>>>(f);
    of_g<<<1, 64>>>(g);
    of_h<<<1, 64>>>(h);
    of_i<<<1, 64>>>(i);
    of_j<<<1, 64>>>(j);
    of_k<<<1, 64>>>(k);
    of_l<<<1, 64>>>(l);
    return make(3);
}
