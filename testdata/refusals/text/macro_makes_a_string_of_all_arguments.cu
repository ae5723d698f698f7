//@ layout = "P = soa"
#include <cstdio>
struct P {
    float x, y;
};
#define SHOW(...) printf("%s = %g\n", #__VA_ARGS__, __VA_ARGS__)
__global__ void step(P *p) {
    SHOW(p[0].x); //~ LC0024 the macro `SHOW` also turns this argument into a string (`#`)
    p[0].y = 1;
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemset(d, 0, 100 * sizeof(P));
    step<<<1, 1>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
    return 0;
}
