//@ layout = "a + b = aos"
__global__ void k(float *a, float *b, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[at[i]] += b[at[i]];
}
int main() {
    int n = 100;
    int *at;
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    float *a, *b = 0;
    for (int round = 0; round < 2; ++round) {
        cudaMalloc(&a, n * sizeof(float));
        if (round == 0)
            cudaMalloc(&b, n * sizeof(float));
        k<<<1, 128>>>(a, b, at, n);
        cudaFree(a); //~ LC0087 it cannot be seen that these pointers belong to one allocation
        if (b)
            cudaFree(b);
        b = 0;
    }
    return 0;
}
