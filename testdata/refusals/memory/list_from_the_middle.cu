//@ layout = "* = soa"
#include <cuda_runtime.h>
struct P { float x, y; };
template <class T> struct View { T *data; int n; }; //~ LC0026 this may point to an element other than the first
__global__ void step(View<P> v) { int i = threadIdx.x; if (i < v.n) v.data[i].x += v.data[i].y; }
View<P> part(P *d, int from, int n) { return {d + from, n}; }
int main() {
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    step<<<1, 64>>>(View<P>{d, 64});
    step<<<1, 64>>>(part(d, 8, 16));
    cudaFree(d);
    return 0;
}
