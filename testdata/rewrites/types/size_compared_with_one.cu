//@ layouts = ["P = tiled(32)", "P = soa"]
// Whatever holds an array is larger than three bytes before and after.
#include <cstdio>
#include <iterator>
#include <vector>
struct P { float x, y; };
template <class T>
struct is_wide {
    using value_type = typename std::iterator_traits<T>::value_type;
    enum { value = sizeof(value_type) > 1 };
};
struct Holder { P *d; int n; };
__global__ void fill(P *p, int n) { int i = threadIdx.x; if (i < n) { p[i].x = i; p[i].y = 2; } }
int main() {
    std::vector<Holder> all(1);
    all[0].n = 50;
    cudaMalloc(&all[0].d, 50 * sizeof(P));
    fill<<<1, 64>>>(all[0].d, all[0].n);
    P h[50];
    float sum = 0;
    cudaMemcpy(h, all[0].d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 50; i++) sum += h[i].x + h[i].y;
    printf("%g %d %d\n", sum, int(is_wide<std::vector<char>::iterator>::value), int(is_wide<std::vector<Holder>::iterator>::value));
    cudaFree(all[0].d);
    return 0;
}
