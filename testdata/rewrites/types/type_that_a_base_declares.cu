//@ layouts = ["P = soa", "P = tiled(32)"]
// In a class that inherits it, `P` is `Base::P`, not the one of the namespace; through a private base, too.
#include <cstdio>
struct P { float x, y; int id; };
struct Base { struct P { double x, y; }; };
struct Public : Base { P *a; };
struct Private : private Base { void *fill(int n); };
__global__ void step(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += p[i].y + p[i].id; }
__global__ void fill(Base::P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { p[i].x = 1.0 / (i + 3); p[i].y = 2.0 / (i + 7); } }
void *Private::fill(int n) {
    P *a;
    cudaMalloc(&a, n * sizeof(P));
    ::fill<<<2, 64>>>(a, n);
    return a;
}
int main() {
    P h[100] = {}, *d;
    h[99].y = 2;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    step<<<2, 64>>>(d, 100);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    Public p;
    cudaMalloc(&p.a, 100 * sizeof(Base::P));
    fill<<<2, 64>>>(p.a, 100);
    Base::P b[100];
    cudaMemcpy(b, p.a, sizeof(b), cudaMemcpyDeviceToHost);
    printf("%g %.12g %.12g\n", h[99].x, b[50].x, b[99].y);
    void *own = Private().fill(100);
    cudaMemcpy(b, own, sizeof(b), cudaMemcpyDeviceToHost);
    printf("%.12g %.12g\n", b[51].x, b[98].y);
    cudaFree(own);
    cudaFree(d);
}
