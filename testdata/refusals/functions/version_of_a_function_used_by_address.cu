//@ layout = "P = soa"
#include <cstdio>
struct P { int a, b, c; };
__host__ __device__ void bump(P *p, int i) { p[i].a += i; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P q[1];
        q[0] = p[i];
        bump(p, i);
        bump(q, 0); //~ LC0030 code that uses the array also gets `q`, which is not an element of it
        p[i].b = q[0].a;
    }
}
void (*chosen)(P *, int) = bump; //~ LC0010 the function can be called through its address
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
