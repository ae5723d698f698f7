//@ layout = "* = soa"
struct V { float x, y; __device__ V(float x, float y) : x(x), y(y) {} };
struct A { const V &v; __device__ A(const V &v) : v(v) {} }; //~ LC0077 this use of an element is not modelled
struct B { const V *v; __device__ B(const V &o) { v = &o; } }; //~ LC0026 this may point to an element other than the first
struct C { V v; __device__ C(const V &o, V *all) : v(o) { all[0].x = 1; v = o; } };
struct D { V v; __device__ D(V &o) : v(o) { o.y = 2; } };
__global__ void a(V *p, float *out) { A a(p[threadIdx.x]); p[threadIdx.x].x = 3; out[threadIdx.x] = a.v.x; } //~ LC0077 this use of an element is not modelled
__global__ void b(V *p, float *out) { B b(p[threadIdx.x]); out[threadIdx.x] = b.v->x; } //~ LC0077 this use of an element is not modelled
__global__ void c(V *p, float *out) { C c(p[threadIdx.x], p); out[threadIdx.x] = c.v.x; } //~ LC0077 this use of an element is not modelled
__global__ void d(V *p, float *out) { D d(p[threadIdx.x]); out[threadIdx.x] = d.v.x; } //~ LC0077 this use of an element is not modelled
int main() {
    V *p, *q, *r, *s;
    float *out;
    cudaMalloc(&out, 256);
    cudaMalloc(&p, 64 * sizeof(V));
    cudaMalloc(&q, 64 * sizeof(V));
    cudaMalloc(&r, 64 * sizeof(V));
    cudaMalloc(&s, 64 * sizeof(V));
    a<<<1, 64>>>(p, out);
    b<<<1, 64>>>(q, out);
    c<<<1, 64>>>(r, out);
    d<<<1, 64>>>(s, out);
    return 0;
}
