//@ layout = "* = soa"
#include <cuda_runtime.h>
template <typename T> struct Pair {
    T a, b;
    friend __device__ void flip(Pair &own) { T a = own.a; own.a = own.b; own.b = a; } //~ LC0029 this friend of a class template has one text for all instances
};
__global__ void k(Pair<float> *p, int n) { if (threadIdx.x < n) flip(p[threadIdx.x]); }
int main() {
    Pair<float> *p;
    cudaMalloc(&p, 40 * sizeof(Pair<float>));
    k<<<1, 64>>>(p, 40);
    return 0;
}
