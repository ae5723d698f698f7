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
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, (n + 1) * sizeof(float)); //~ LC0087 these arrays may have different lengths
    k<<<1, 128>>>(a, b, at, n);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
