//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdint>
enum class Kind : uint8_t { None, Some };
typedef float real;
struct P {
    real x;
    Kind kind;
    bool alive;
    std::uint16_t id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (p[i].kind == Kind::Some && p[i].alive)
            p[i].x += p[i].id;
        p[i].kind = Kind::None;
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
