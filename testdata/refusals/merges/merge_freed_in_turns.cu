//@ layout = "a + b = aos"
__global__ void k(float *a, float *b, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[at[i]] += b[at[i]];
}
__global__ void use_a(float *a, int n) { a[threadIdx.x % n] = 1; }
__global__ void use_b(float *b, int n) { b[threadIdx.x % n] = 1; }
int main() {
    int n = 100;
    float *a, *b;
    int *at;
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(at, 0, n * sizeof(int));
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>(a, b, at, n);
    float *c, *d;
    cudaMalloc(&c, n * sizeof(float));
    cudaMalloc(&d, n * sizeof(float));
    for (int round = 0; round < 2; ++round) {
        float *p = round ? a : c, *q = round ? d : b;
        use_b<<<1, 32>>>(q, n);
        cudaFree(p); //~ LC0087 it cannot be seen that these pointers belong to one allocation
        cudaFree(q);
    }
    return 0;
}
