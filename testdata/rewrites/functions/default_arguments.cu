//@ layout = "* = soa"
// Default arguments and packs that the grammar does not take keep what they name, and nothing else.
#include <utility>
#include <vector>
struct Body { float x, mass; };
struct Held { float a, b; };
struct Key { int k; };
int count(int n, const std::vector<std::pair<Key, int>> &more = {});
int count(int n, const std::vector<std::pair<Key, int>> &more) { return n + (int)more.size(); }
template <class T, class ARG = const T &> struct Take { void set(ARG) {} };
template <class P = Held *> struct Other { P p; };
template <bool B> struct wide { static __device__ float call(float x) { return x; } };
template <class... Ts> struct Visitor : Ts... { using Ts::operator()...; };
__global__ void drift(Body *p, Held *h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += wide<sizeof(float) * 8 >= 2>::call(p[i].mass);
    if (i < n) h[i].a += h[i].b;
}
int main() {
    Body *p;
    Held *h;
    cudaMalloc(&p, 1000 * sizeof(Body));
    cudaMalloc(&h, 1000 * sizeof(Held));
    drift<<<8, 128>>>(p, h, 1000);
    return count(3);
}
