//@ layout = "* = soa"
#include <cstdio>
#include <cuda_runtime.h>
// The macro prints other addresses, too; and an address behind the first element is one of several.
struct P { float x, y; };
struct Q { float x, y; };
#define SHOW(p) printf("%p\n", (void *)(p)) //~ LC0020 the pointer loses its type here
template <class T> __global__ void step(T *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    P *p;
    Q *q;
    cudaMalloc(&p, 64 * sizeof(P));
    cudaMalloc(&q, 64 * sizeof(Q));
    SHOW(p);
    printf("%p\n", (void *)(q + 5)); //~ LC0020 the pointer loses its type here
    step<<<1, 64>>>(p, 64);
    step<<<1, 64>>>(q, 64);
    return 0;
}
