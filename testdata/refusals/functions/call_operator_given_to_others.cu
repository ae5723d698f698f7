// An object whose operator takes elements is given to a template of a library: what that calls the operator with is not seen.
#include <algorithm>
struct P { float x; int id; };
struct Clear {
    __host__ __device__ void operator()(P &p) const { p.x = 0.0f; }
};
__global__ void clear(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Clear f;
    if (i < n) f(p[i]);
}
int main() {
    P *h = (P *)malloc(100 * sizeof(P));
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemcpy(d, h, 100 * sizeof(P), cudaMemcpyHostToDevice);
    clear<<<4, 32>>>(d, 100);
    cudaMemcpy(h, d, 100 * sizeof(P), cudaMemcpyDeviceToHost);
    std::for_each(h, h + 100, Clear()); //~ LC0010 the object holds the array, and it is passed to an unknown function
}
