//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
// `auto` is written out: where the elements are constant, where the pointer is, and both.
#include <cstdio>
struct P {
    float x;
    int id;
};
__device__ int tag(int *) { return 1; }
__device__ int tag(const int *) { return 2; }
__global__ void read(const P *p, int *out, int i) {
    auto a = p + i;
    const auto b = p + i;
    auto const c = p + i;
    auto *d = p + i;
    const auto *e = p + i;
    out[0] = a->id + b->id + c->id + d->id + e->id + tag(&a->id) + tag(&b->id) + tag(&d->id);
}
__global__ void write(P *p, int *out, int i) {
    const auto a = p + i;
    auto const b = p + i;
    const auto *c = p + i;
    a->id++;
    b->id++;
    out[1] = tag(&a->id) + 10 * tag(&b->id) + 100 * tag(&c->id);
}
int main() {
    P h[64] = {};
    for (int i = 0; i < 64; i++)
        h[i].id = i;
    P *d;
    int *o, r[2];
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    read<<<1, 1>>>(d, o, 3);
    write<<<1, 1>>>(d, o, 3);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", r[0], r[1], h[3].id);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
