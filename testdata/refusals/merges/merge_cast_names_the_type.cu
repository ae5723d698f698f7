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
    cudaMalloc(&b, n * sizeof(float));
    k<<<1, 128>>>((float *)a, b, at, n); //~ LC0087 this cast names the type of the values
    return 0;
}
