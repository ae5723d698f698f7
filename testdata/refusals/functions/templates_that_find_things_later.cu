//@ layouts = ["A = soa", "B = soa", "C = soa", "D = soa", "E = soa", "F = soa", "G = soa", "H = soa", "I = soa", "J = soa"]
__device__ const int unit = 3;
namespace other { __device__ const int factor = 2; }
namespace more { __device__ const int factor = 5; }
namespace lib = other;

namespace sim {
template <class T> __device__ void variable(T *p, int i) { p[i].x += unit; } //~ LC0083 this template is declared before the struct, and something between them could give its text another meaning
__device__ const int unit = 50;
struct A { float x, y; };
__global__ void of_a(A *a) { variable(a, threadIdx.x); a[threadIdx.x].y += unit; }

template <class T> __device__ void alias(T *p, int i) { p[i].x += lib::factor; } //~ LC0083 this template is declared before the struct, and something between them could give its text another meaning
namespace lib = more;
struct B { float x, y; };
__global__ void of_b(B *b) { alias(b, threadIdx.x); b[threadIdx.x].y += lib::factor; }
}

#define WIDTH 3
#pragma push_macro("WIDTH")
#undef WIDTH
#define WIDTH 4
template <class T> __device__ void popped(T *p, int i) { p[i].x = WIDTH; } //~ LC0083 this template is declared before the struct, and something between them could give its text another meaning
#pragma pop_macro("WIDTH")
struct C { float x, y; };
__global__ void of_c(C *c) { popped(c, threadIdx.x); }

#define DECLARE(name, value) __device__ const int name = value
namespace made {
__device__ const int depth = 1;
namespace inner {
template <class T> __device__ void by_macro(T *p, int i) { p[i].x += depth; } //~ LC0083 `depth`, which this template may use, is defined or specialised behind it
DECLARE(depth, 9);
struct D { float x, y; };
__global__ void of_d(D *d) { by_macro(d, threadIdx.x); d[threadIdx.x].y += depth; }
}
}

struct E { float x, y; };
template <class T, class U> struct Chosen { static const int value = 1; };
template <class T> __device__ void in_part(T *p, int i) { p[i].x += Chosen<T, float>::value; } //~ LC0083 `Chosen`, which this template may use, is defined or specialised behind it
template <class T> struct Chosen<T, float> { static const int value = 100; };
__global__ void of_e(E *e) { in_part(e, threadIdx.x); }

struct F { float x, y; };
template <class T> __device__ float weight(T v) { return 1; }
template <class T> __device__ void weighed(T *p, int i) { p[i].x += weight(p[i].y); } //~ LC0083 `weight`, which this template may use, is defined or specialised behind it
template <> __device__ float weight<float>(float v) { return 100; }
__global__ void of_f(F *f) { weighed(f, threadIdx.x); }

struct G { float x, y; };
struct Late;
template <class T, class L> __device__ void complete(T *p, int i, const L &late) { p[i].x += late.v; } //~ LC0083 this template uses a type that is complete only behind the place of its version
struct Late { float v; };
__global__ void of_g(G *g, Late late) { complete(g, threadIdx.x, late); }

struct H { float x, y; };
template <class T, class S> __device__ void branch(T *p, int i, S s) {
    if constexpr (sizeof(S) == 4) p[i].x += s; else p[i].x += s << 1; //~ LC0083 both branches of this would be compiled in a version that is no template
}
__global__ void of_h(H *h) { branch(h, threadIdx.x, 2.0f); }

struct I { float x, y; };
enum Mode { SLOW, FAST };
__device__ inline float gain(int) { return 1; }
__device__ inline float gain(Mode) { return 100; }
template <class T, class S> __device__ void by_mode(T *p, int i, S s) { p[i].x += gain(s); }
__global__ void of_i(I *p) { by_mode(p, threadIdx.x, FAST); } //~ LC0029 cannot be rewritten

struct J { float x, y; };
template <class T> __device__ auto deduced(T v);
template <class T> __device__ void deduces(T *p, int i) { p[i].x = deduced(p[i].y); } //~ LC0083 `deduced`, which this template may use, is defined or specialised behind it
template <class T> __device__ auto deduced(T v) { return v + 1; }
__global__ void of_j(J *j) { deduces(j, threadIdx.x); }


int main() {
    sim::A *a;
    sim::B *b;
    C *c;
    made::inner::D *d;
    E *e;
    F *f;
    G *g;
    H *h;
    I *i;
    J *j;
    cudaMalloc(&a, 64 * sizeof(sim::A));
    cudaMalloc(&b, 64 * sizeof(sim::B));
    cudaMalloc(&c, 64 * sizeof(C));
    cudaMalloc(&d, 64 * sizeof(made::inner::D));
    cudaMalloc(&e, 64 * sizeof(E));
    cudaMalloc(&f, 64 * sizeof(F));
    cudaMalloc(&g, 64 * sizeof(G));
    cudaMalloc(&h, 64 * sizeof(H));
    cudaMalloc(&i, 64 * sizeof(I));
    cudaMalloc(&j, 64 * sizeof(J));
    sim::of_a<<<1, 64>>>(a);
    sim::of_b<<<1, 64>>>(b);
    of_c<<<1, 64>>>(c);
    made::inner::of_d<<<1, 64>>>(d);
    of_e<<<1, 64>>>(e);
    of_f<<<1, 64>>>(f);
    of_g<<<1, 64>>>(g, Late{2});
    of_h<<<1, 64>>>(h);
    of_i<<<1, 64>>>(i);
    of_j<<<1, 64>>>(j);
    return 0;
}
