//@ layouts = ["P = soa", "P = {x y z} align(16), {id w d} tiled(32), {mass f}, {v.u a b c e g h}"]
//! The comments of members stand in the generated structs, if they are one line that means nothing to a tool.
#include <cstdio>
#include <cuda_runtime.h>
struct Base {
    int id; // of the base
};
struct V { float u; /* of V */ };
struct P : Base { // of P
    float x, y, z; // position, "in metres" // µm
    /// Mass.
    float mass;
    // Two lines
    // say more than one.
    float w;

    // alone

    V v; //!< velocity
    float f[2]; // NOLINT(something)
    // layoutc: end
    int a; // goes on \
    int none;
    int b /* inside */;
    int c; int d; // of d
    //@{
    /** Block. */ int e;
    int g;
    /*
     * Many lines.
     */
    int h; // ----
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].y * p[i].z + p[i].mass + p[i].w + p[i].v.u;
        p[i].f[i & 1] += p[i].a + p[i].b + p[i].c + p[i].d + p[i].e + p[i].g + p[i].h + p[i].id;
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    for (int i = 0; i < n; ++i) { h[i].x = h[i].y = i; h[i].id = h[i].d = 3 * i; }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) printf("%g %g %g\n", h[i].x, h[i].f[0], h[i].f[1]);
    cudaFree(d);
    delete[] h;
    return 0;
}
