//@ layout = "a + b = aos"
__global__ void k(float *a, float *b, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[at[i]] += b[at[i]];
}
int main(int argc, char **) {
    int n = 100;
    float *a, *b;
    int *at;
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    if (argc < 5)
        cudaMalloc(&a, n * sizeof(float)); //~ LC0087 this allocation depends on a condition
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>(a, b, at, n);
    return 0;
}
