//@ layouts = ["R = soa", "R = tiled(32)"]
// A null pointer is an argument beside pointers into the array, and two arrays in one layout share a kernel.
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
struct R {
    int a;
    float f;
};
struct Part {
    R *p;
    int n;
};
__device__ bool is_large(const R *p) { return p && p->a > 3; }
__global__ void count(R *p, const R *from, int *out) {
    *out = is_large(nullptr) + is_large(p + 5) + is_large(NULL) + is_large({}) + is_large((const R *)nullptr) + (from ? from->a : 0);
}
__global__ void one(R *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].a += i;
        p[i].f += p[i].a;
    }
}
__global__ void last(R *p, int *out) {
    int sum = 0;
    {
        auto r = p + 1;
        for (auto e = p + 9; r != e; r++)
            sum += r->a;
    }
    for (int j = 0; j < 3; j++) {
        const R &e = p[j];
        sum += e.a;
    }
    const R *found = p;
    for (int j = 0; j < 9; j++)
        if (p[j].a > 5)
            found = p + j;
    if (found == p + 4)
        sum++;
    *out += sum;
}
int main() {
    const int n = 45;
    R *d, host[n];
    int *out, result;
    cudaMalloc(&d, n * sizeof(R));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(d, 0, n * sizeof(R));
    one<<<2, 32>>>(d, n);
    R *q = nullptr;
    q = std::exchange(d, q);
    Part part;
    cudaMalloc(&part.p, 4 * sizeof(R));
    cudaMemset(part.p, 0, 4 * sizeof(R));
    one<<<1, 32>>>(part.p, 4);
    count<<<1, 1>>>(q, nullptr, out);
    count<<<1, 1>>>(q + 1, q + 2, out);
    last<<<1, 1>>>(q, out);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(host, q, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d %d\n", result, host[4].a);
    cudaMemcpy(host, part.p, 4 * sizeof(R), cudaMemcpyDeviceToHost);
    printf("%d\n", host[3].a);
}
