//@ layout = "a + b = aos"
void done(float *p) { cudaFree(p); } //~ LC0087 not all of the arrays are freed here
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
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>(a, b, at, n);
    done(b);
    cudaFree(a);
    return 0;
}
