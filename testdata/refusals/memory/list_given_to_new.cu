//@ layout = "* = soa"
#include <cuda_runtime.h>
struct P { float x, y; };
struct Pair { P *d; float *w; };
struct App { Pair pair = {nullptr, nullptr}; }; //~ LC0082 the object holds the array, and this list does not say which member each item fills
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    float *w;
    cudaMalloc(&w, 64 * sizeof(float));
    Pair *made = new Pair{nullptr, w};
    cudaMalloc(&made->d, 64 * sizeof(P));
    App app;
    app.pair.d = made->d;
    step<<<1, 64>>>(app.pair.d, 64);
    cudaFree(made->d);
    delete made;
    return 0;
}
