//@ layout = "* = soa"
// In the template an operator is looked up where the instance is made, and a member that is not used is not compiled.
#include <vector>
struct P { float x, y; };
struct Any { template <class T> Any(const T &) {} };
inline bool operator<(Any, Any) { return false; }
template <class T> class Buffer { //~ LC0029 the text of this class template would change, and what it does with its parameters is not modelled
    T *p;
    size_t n;

public:
    explicit Buffer(size_t n) : n(n) { cudaMalloc(&p, n * sizeof(T)); }
    T *get() { return p; }
    bool is_before(const std::vector<T> &v) { return v[0] < v[1]; }
};
inline bool operator<(const P &a, const P &b) { return a.x < b.x; }
struct Q { float x, y; };
template <class T> class Asserting { //~ LC0029 the text of this class template would change, and what it does with its parameters is not modelled
    T *p;

public:
    explicit Asserting(size_t n) { cudaMalloc(&p, n * sizeof(T)); }
    T *get() { return p; }
    void numbers();
};
template <class T> void Asserting<T>::numbers() { static_assert(sizeof(T) == 4, "numbers"); }
struct R {
    float x, y;
    __host__ __device__ R(float x, float y) : x(x), y(y) {}
};
template <class T> class Downloading { //~ LC0029 the text of this class template would change, and what it does with its parameters is not modelled
    T *p;
    size_t n;

public:
    explicit Downloading(size_t n) : n(n) { cudaMalloc(&p, n * sizeof(T)); }
    T *get() { return p; }
    // It is not used, and would need `R()`.
    std::vector<T> items();
};
template <class T> std::vector<T> Downloading<T>::items() {
    std::vector<T> h(n);
    cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return h;
}
__global__ void step(P *p, Q *q, R *r) {
    r[threadIdx.x].x += r[threadIdx.x].y;
    p[threadIdx.x].x += p[threadIdx.x].y;
    q[threadIdx.x].x += q[threadIdx.x].y;
}
int main() {
    std::vector<P> h(32);
    Buffer<P> b(32);
    Asserting<Q> a(32);
    Downloading<R> d(32);
    step<<<1, 32>>>(b.get(), a.get(), d.get());
    return b.is_before(h);
}
