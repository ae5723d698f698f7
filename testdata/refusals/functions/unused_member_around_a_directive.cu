//@ layout = "* = soa"
// A directive in the head of a member function belongs to one outside of it, so it is not left out.
#include <cuda_runtime.h>
struct P { float x, y; };
template <typename T> class Buffer {
    T *data;
    int size;

public:
    explicit Buffer(int n) : size(n) { cudaMalloc(&data, n * sizeof(T)); }
    T *get() { return data; }
#ifdef __CUDACC__
    __host__ __device__
#endif
    T *end() { return data + size; } //~ LC0026 this may point to an element other than the first
};
__global__ void step(P *p) { p[threadIdx.x].x += p[threadIdx.x].y; }
int main() {
    Buffer<P> buffer(32);
    step<<<1, 32>>>(buffer.get());
    return 0;
}
