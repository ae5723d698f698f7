//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    unsigned char *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemset(d, 0, n * sizeof(P));
    step<<<1, 128>>>((P *)d, n); //~ LC0031 it cannot be seen what this points to
    cudaFree(d);
    return 0;
}
