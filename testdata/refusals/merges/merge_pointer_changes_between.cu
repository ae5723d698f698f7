//@ layout = "a + b = aos"
__global__ void k(float *a, float *b, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[at[i]] += b[at[i]];
}
int main() {
    int n = 100;
    float *a, *b;
    int *at;
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    float *old = 0;
    cudaMalloc(&a, n * sizeof(float));
    old = a;
    a = old + 1; //~ LC0087 this may change the pointer between the allocations
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>(a, b, at, n - 1);
    cudaFree(old);
    cudaFree(b);
    return 0;
}
