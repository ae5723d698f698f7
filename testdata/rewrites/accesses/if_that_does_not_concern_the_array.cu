//@ layouts = ["P = tiled(32)", "P = soa"]
#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif
struct P {
    real x;
    int id;
};
#if 0
void print(P *q, int n);
#endif
__global__ void step(P *p,
#ifdef WITH_SEED
                     int seed,
#endif
                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef VERBOSE
    printf("%d\n", i);
#endif
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
