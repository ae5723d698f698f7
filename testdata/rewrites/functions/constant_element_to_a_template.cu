//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(8)"]
// `T &` is deduced for a constant element, too, and is no reference to a temporary.
#include <cstdio>
struct P {
    float x;
    int id;
};
template <class T> struct Is { static const int constant = 0; };
template <class T> struct Is<const T> { static const int constant = 1; };
template <class T> __device__ int told(T &t) { return t.id + 1000 * Is<T>::constant; }
__global__ void step(P *p, const P *c, int *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = told(c[i]);
        p[i].x += 1;
    }
}
int main() {
    const int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = {0.5f * i, i};
    P *d;
    int *out, sums[n];
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, d, out, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, out, n * sizeof(int), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x + sums[i];
    printf("%g\n", sum);
    cudaFree(d);
    cudaFree(out);
    delete[] h;
}
