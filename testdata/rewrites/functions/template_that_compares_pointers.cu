//@ layouts = ["P = tiled(32)", "P = soa"]
// Pointers are compared as such, whatever operators come behind the template.
#include <cstdio>
template <typename T>
void safeFree(T *&ptr) {
    if (ptr != nullptr) {
        cudaFree(ptr);
        ptr = nullptr;
    }
}
struct P { float x, y; };
struct Q { int v; };
bool operator!=(const Q &a, const Q &b) { return a.v != b.v; }
bool operator!=(const P &a, const P &b) { return a.x != b.x; }
__global__ void k(P *p, int n) { int i = threadIdx.x; if (i < n) { p[i].x = i; p[i].y = 2; } }
int main() {
    P *p = nullptr;
    Q *q = nullptr;
    P h[64];
    cudaMalloc(&p, 64 * sizeof(P));
    cudaMalloc(&q, sizeof(Q));
    k<<<1, 64>>>(p, 64);
    cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);
    float s = 0;
    for (int i = 0; i < 64; i++) s += h[i].x + h[i].y;
    safeFree(p);
    safeFree(q);
    printf("%g %d %d\n", s, p == nullptr, q == nullptr);
}
