//@ layout = "a + b = aos"
__global__ void k(float *a, float *b, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[at[i]] += b[at[i]];
}
struct Size { int n; int &get() { return n; } };
int main() {
    Size s = {100};
    float *a, *b;
    int *at;
    cudaMalloc(&at, 100 * sizeof(int));
    cudaMemset(at, 0, 100 * sizeof(int));
    cudaMalloc(&a, s.n * sizeof(float)); //~ LC0087 this byte count may change between the allocations
    s.get() = 200;
    cudaMalloc(&b, s.n * sizeof(float));
    k<<<1, 128>>>(a, b, at, 100);
    return 0;
}
