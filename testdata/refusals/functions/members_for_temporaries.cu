// Which member function is called depends on whether the object is a temporary.
#include <cstdio>
struct P {
    float x;
    int id;
    __device__ int get() const & { return 3 + id; }
    __device__ int get() && { return 2; }
};
__global__ void k(P *p, int *out, int i) {
    *out = p[i].get(); //~ LC0082 this names no member variable that is modelled
}
int main() {
    P h[64];
    for (int i = 0; i < 64; i++) {
        h[i].x = i;
        h[i].id = 5;
    }
    P *d;
    int *o, r;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 1>>>(d, o, 3);
    cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
