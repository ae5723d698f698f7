//@ layout = "P = soa"
#include <cstdio>
enum { K = 5 };
struct P { enum { K = 4 }; int a, b, c; __device__ void go(int i) { a += K * i; } };

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].go(i); //~ LC0027 `go` may change the element and cannot be given a version: it names something of its class that is not public or cannot be qualified
}

int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) { h[i].a = i; h[i].b = 2 * i; h[i].c = 0; }
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%d %d %d\n", h[i].a, h[i].b, h[i].c);
    cudaFree(d);
    delete[] h;
    return 0;
}
