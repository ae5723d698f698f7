//@ layouts = ["* = soa", "* = tiled(32)"]
// The element is in namespaces that have nothing to do with those of the class template: they are closed and opened again.
#include <cstdio>
#include <cuda_runtime.h>
namespace memory {
template <class T>
class Buffer {
public:
    explicit Buffer(int n) : n(n) { cudaMalloc((void **)&data, n * sizeof(T)); }
    ~Buffer() { cudaFree(data); }
    T *get() const { return data; }
    int size() const { return n; }

private:
    T *data;
    int n;
};
}
namespace sim {
namespace detail::inner {
struct Particle {
    float x, v;
    int id;
};
__global__ void step(Particle *particles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        particles[i].x += particles[i].v;
}
}
}
using sim::detail::inner::Particle;
int main() {
    Particle host[50];
    for (int i = 0; i < 50; i++)
        host[i] = Particle{1.0f * i, 0.5f, i};
    memory::Buffer<Particle> buffer(50);
    cudaMemcpy(buffer.get(), host, sizeof host, cudaMemcpyHostToDevice);
    sim::detail::inner::step<<<1, 64>>>(buffer.get(), buffer.size());
    cudaMemcpy(host, buffer.get(), sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %d\n", host[7].x, host[9].id);
    return 0;
}
