//@ layout = "a + b = aos"
__global__ void k(float *a, float *b, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[at[i]] += b[at[i]];
}
__global__ void use_a(float *a, int n) { a[threadIdx.x % n] = 1; }
__global__ void use_b(float *b, int n) { b[threadIdx.x % n] = 1; }
int main(int argc, char **) {
    int n = 100;
    float *a, *b;
    int *at;
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>(a, b, at, n);
    if (argc > 1)
        cudaFree(a); //~ LC0087 it cannot be seen when this is freed
    else
        cudaFree(b);
    if (argc > 1)
        use_b<<<1, 32>>>(b, n);
    else
        use_a<<<1, 32>>>(a, n);
    return 0;
}
