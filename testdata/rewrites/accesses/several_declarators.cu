//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
// Qualifiers and attributes of a declaration that is divided go with each part.
#include <cstdio>
struct P {
    float x, y, z;
};
template <class T> __device__ float first(const T q, int i) { return q[i].x; }
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) {
        const P *a = p + i, *b;
        P const *c = p + i, *d = p;
        [[maybe_unused]] const P &r = p[i];
        b = a;
        p[i].y += a->x + b->z + c->x + d->z + first<P *>(p, i);
    }
}
__global__ void again(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].z += p[i].x;
}
int main() {
    const int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = {0.5f * i, 2.0f, 3.0f};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    again<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x + h[i].y * h[i].z;
    printf("%g\n", sum);
    cudaFree(d);
    delete[] h;
}
