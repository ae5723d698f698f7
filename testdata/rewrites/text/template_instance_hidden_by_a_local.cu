//@ layouts = ["P = soa", "P = tiled(32)"]
#include <cstdio>
struct half3 {
    short s[3];
};
template <typename T, int N>
struct t {
    T lead[N];
    int n;
};
using P = t<half3, 3>;
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].n += p[i].lead[1].s[2];
}
int main() {
    int t = 100, half3 = 3;
    P *h = new P[t]();
    P *d;
    cudaMalloc(&d, t * sizeof(*d));
    cudaMemcpy(d, h, t * sizeof(*d), cudaMemcpyHostToDevice);
    step<<<4, 32>>>(d, t);
    cudaMemcpy(h, d, t * sizeof(*d), cudaMemcpyDeviceToHost);
    printf("%d\n", h[99].n + half3);
    cudaFree(d);
    delete[] h;
    return 0;
}
