//@ layouts = ["P = soa", "P = tiled(32)"]
// Casts of C++ as arguments of macros, which read like types.
#include <cstdio>
#include <cstdlib>
struct P {
    float x;
    int id;
};
#define CALL(f, a, b) if (f(a, b) != cudaSuccess) exit(1)
#define COPY(to, from, bytes, kind) if (cudaMemcpy(to, from, bytes, kind) != cudaSuccess) exit(1)
#define FREE(p) cudaFree(p)
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].id;
}
int main() {
    const int n = 77;
    P *h = new P[n], *d;
    for (int i = 0; i < n; i++) h[i] = {0.5f * i, i};
    CALL(cudaMalloc, reinterpret_cast<void **>(&d), n * sizeof(P));
    COPY(static_cast<void *>(d), static_cast<const void *>(h), n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<3, 32>>>(d, n);
    COPY(h, static_cast<void *>(d), n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x + i * h[i].id;
    printf("%g\n", sum);
    FREE(static_cast<void *>(d));
    delete[] h;
    return 0;
}
