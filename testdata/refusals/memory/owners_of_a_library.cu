//@ layout = "* = soa"
#include <cuda_runtime.h>
#include <memory>
#include <thrust/universal_vector.h>
struct P { float x, y; };
struct Q { float x, y; };
struct R { float x, y; };
class Hidden {
    struct Free { void operator()(P *p) const { cudaFree(p); } };
    std::unique_ptr<P[], Free> p;

public:
    P *get() const { return p.get(); } //~ LC0031 `unique_ptr` owns this memory, and layoutc does not change its element type
};
__global__ void step_p(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_q(Q *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_r(R *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main() {
    Hidden p;
    auto q = std::make_shared<Q>();
    thrust::universal_vector<R> r(64);
    step_p<<<1, 64>>>(p.get(), 0);
    step_q<<<1, 64>>>(q.get(), 0); //~ LC0031 `shared_ptr` owns this memory, and layoutc does not change its element type
    step_r<<<1, 64>>>(thrust::raw_pointer_cast(r.data()), 64); //~ LC0031 `universal_vector` owns this memory, and layoutc does not change its element type
    step_r<<<1, 64>>>(thrust::raw_pointer_cast(&r[0]), 64); //~ LC0031 `universal_vector` owns this memory, and layoutc does not change its element type
    return 0;
}
