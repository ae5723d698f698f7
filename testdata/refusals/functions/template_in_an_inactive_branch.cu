//@ layout = "* = tiled(32)"
#include <cuda_runtime.h>
struct P { float x, y; };
struct Stack { P *buf; int at; __device__ P pop() { return buf[at]; } };
template <class S> __device__ void poke(S &s) { s.buf[3].x = 1.0f; }
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Stack s;
    s.buf = p;
    s.at = i;
    if (i < n) {
        P q = s.pop();
        q.x += q.y;
        s.buf[i] = q;
    }
#ifdef WITH_POKE //~ LC0005 this branch is not compiled and mentions `buf`
    poke(s);
#endif
}
int main() {
    P *d;
    cudaMalloc((void **)&d, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
