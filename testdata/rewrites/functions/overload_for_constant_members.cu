//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)", "P = {x} tiled(32), {id v}"]
// What is reached through a pointer or reference to constant elements stays constant where somebody can tell.
#include <cstdio>
struct V {
    int a, b;
    __host__ __device__ int kind() { return 1; }
    __host__ __device__ int kind() const { return 2; }
};
struct P {
    float x;
    int id;
    V v;
};
__device__ int tag(int *) { return 1; }
__device__ int tag(const int *) { return 2; }
__device__ int ref(int &) { return 1; }
__device__ int ref(const int &) { return 2; }
__device__ int plain(const int &value) { return value; }
__device__ int inner(const P &s) { return ref(s.id); }
template <class T> __device__ int any(T *q) { return ref(q->id); }
__global__ void k(P *p, int *out, int i) {
    const P *q = p + i;
    const P &s = p[i];
    const P &t = *q;
    auto *r = &q->id;
    auto &z = q->id;
    int n = tag(&q->id);
    n = 10 * n + ref(s.id);
    n = 10 * n + tag(&t.id);
    n = 10 * n + inner(p[i]);
    n = 10 * n + tag(r) + ref(z);
    n = 10 * n + ref(i > 100 ? q->id : q[1].id);
    n = 10 * n + s.v.kind() + q->v.kind();
    n = 10 * n + any((const P *)p);
    out[0] = n;
    out[1] = plain(q->id) + ref(p[i].id) + p[i].v.kind() + tag(&((const P *)p)->id);
}
int main() {
    P h[64] = {};
    for (int i = 0; i < 64; i++) {
        h[i].x = i;
        h[i].id = 5;
    }
    P *d;
    int *o, r[2];
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 1>>>(d, o, 3);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d %d\n", r[0], r[1]);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
