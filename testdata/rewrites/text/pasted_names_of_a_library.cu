//@ layouts = ["P = tiled(32)", "P = soa"]
// What a library pastes is made of its own words, and forms none of the program's names.
#include "library.h"
#include <cstdio>
struct P { float x, y; };
__device__ float half(const float &part) { return 0.5f * part; }
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) { p[i].y = i; p[i].x = half(p[i].y); } }
int main() {
    P *p, h[64];
    float sum = 0;
    cudaMalloc(&p, 64 * sizeof(P));
    step<<<1, 64>>>(p, 64);
    cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) sum += h[i].x;
    printf("%g %d\n", sum, library::al + library::f + library::version());
    cudaFree(p);
    return 0;
}
//- library.h
#pragma once
#define LIBRARY_TAG _diag
#define LIBRARY_CONCAT_EX(a, b) a ## b
#define LIBRARY_CONCAT(a, b) LIBRARY_CONCAT_EX(a, b)
#define LIBRARY_TAGS_EX(a) tagged ## a
#define LIBRARY_TAGS(a) LIBRARY_TAGS_EX(a)
#define LIBRARY_BEGIN namespace library { inline namespace LIBRARY_CONCAT(LIBRARY_TAGS(LIBRARY_TAG), _v3) {
#define LIBRARY_END } }
LIBRARY_BEGIN
const int al = 1, f = 2, h = 3, a = 4, lf = 5;
inline int version() { return h + a + lf; }
LIBRARY_END
