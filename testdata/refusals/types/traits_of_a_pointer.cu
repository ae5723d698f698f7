//@ layout = "P = soa"
#include <type_traits>
struct P {
    float x;
    int id;
};
template <class Q> __device__ void move(Q q, int i) {
    if constexpr (std::is_same_v<Q, P *>) //~ LC0077 this construct is not modelled and mentions `P`
        q[i].x += 1.0f;
    if constexpr (std::is_same_v<std::remove_pointer_t<Q>, P>) //~ LC0077 this construct is not modelled and mentions `P`
        q[i].x += 2.0f;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        move(p, i);
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
