//@ layout = "a + b = aos"
#include <utility>
__global__ void k(float *a, float *b, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[at[i]] += b[at[i]];
}
int main() {
    int n = 100;
    float *other = 0;
    float *a, *b;
    int *at;
    cudaMalloc(&at, 100 * sizeof(int));
    cudaMemset(at, 0, 100 * sizeof(int));
    cudaMalloc(&a, n * sizeof(float));
    std::swap(a, other); //~ LC0087 this call may change the pointer between the allocations
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>(a, b, at, 100);
    return 0;
}
