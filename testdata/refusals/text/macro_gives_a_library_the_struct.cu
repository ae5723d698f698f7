// The library makes what `STBI_MALLOC` says, which is an array of the struct.
#include <cstdio>
struct P { float x, y; };
template <class T> void *take(int n) {
    T *p = new T[n];
    p[0].x = 1;
    return p;
}
#define ITEM P
#define STBI_MALLOC(n) take<ITEM>(n)
#include <stb_image.h> //~ LC0076 `stb_image.h` is a library's, and a macro for it mentions `P`
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += 1;
}
int main() {
    P h[8] = {};
    P *d;
    cudaMalloc(&d, 8 * sizeof(P));
    cudaMemcpy(d, h, 8 * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d, 8);
    cudaMemcpy(h, d, 8 * sizeof(P), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].x);
}
