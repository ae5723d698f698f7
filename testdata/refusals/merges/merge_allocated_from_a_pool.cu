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
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    cudaMallocFromPoolAsync(&a, n * sizeof(float), pool, 0); //~ LC0087 `cudaMallocFromPoolAsync` has no form for merged arrays
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>(a, b, at, n);
    return 0;
}
