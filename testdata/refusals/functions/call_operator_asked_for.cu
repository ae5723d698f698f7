// Whether the object can be called with an element decides what the program does, and would change with the element's type.
#include <type_traits>
struct P { float x; int id; };
struct Clear { //~ LC0010 the object is given elements, and a template that is not seen may call it
    __host__ __device__ void operator()(P &p) const { p.x = 0.0f; }
};
__global__ void clear(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Clear f;
    if (i < n && std::is_invocable<Clear, P &>::value) f(p[i]);
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    clear<<<4, 32>>>(d, 100);
}
