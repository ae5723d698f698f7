//@ layout = "P = soa"
#define FOUR __attribute__((vector_size(16)))
typedef float wide FOUR;
struct P {
    float x;
    wide y; //~ LC0027 the type of this member is not known
    int n;
};
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
