//@ layouts = ["* = soa", "* = tiled(32)", "* = aos align(16)"]
#include <cstdio>
#include <cstdlib>
struct P { int a, b, c; };
static void *buffer = NULL;
struct Holder { P *unused; void *data; int n; };
__device__ int sum(const void *q, int i) { const P *p = (const P *)q; return p[i].a + p[i].b; }
__global__ void step(void *raw, int n) {
    P *p = static_cast<P *>(raw);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        ((P *)raw)[i].b += 3;
        p[i].c = sum(raw, i) + reinterpret_cast<P *>(raw)->a;
    }
}
__global__ void held(Holder h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h.n)
        ((P *)h.data + i)->a += 7;
}
void *other;
int main() {
    int n = 100;
    P *h = (P *)malloc(n * sizeof(P));
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    cudaMalloc(&buffer, n * sizeof(P));
    cudaMemcpy(buffer, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(buffer, n);
    Holder holder;
    holder.unused = 0;
    holder.data = buffer;
    holder.n = n;
    held<<<1, 128>>>(holder);


    cudaMemcpy(h, buffer, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    cudaFree(buffer);
    return 0;
}
