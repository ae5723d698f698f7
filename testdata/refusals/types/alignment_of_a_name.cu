//@ layout = "P = soa"
typedef struct {
    float x;
    int n;
} P __attribute__((aligned(16))); //~ LC0027 this member or attribute is not modelled
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].n += 1;
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemset(d, 0, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
