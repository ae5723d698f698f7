//@ layout = "a + b = aos"
void release(float *a, float *b) {
    cudaFree(a); //~ LC0087 it cannot be seen that these pointers belong to one allocation
    cudaFree(b);
}
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
    release(a, nullptr);
    use_b<<<1, 32>>>(b, n);
    release(nullptr, b);
    return 0;
}
