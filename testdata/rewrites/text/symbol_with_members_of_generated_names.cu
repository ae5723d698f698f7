//@ layout = "P = soa"
//@ layouts = ["P = tiled(32)"]
struct P {
    float Elements;
    int p;
    float Elements2;
};
#define N 64
__device__ P table[N + 1];
static __device__ P few[4];
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].Elements += table[i % 4].Elements + few[i % (sizeof(few) / sizeof(few[0]))].Elements;
}
int main(int argc, char **argv) {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, h, sizeof(table));
    cudaMemcpyToSymbol(few, h + 1, 2 * sizeof(P), sizeof(P));
    cudaMemcpyFromSymbol(h, table, sizeof(P) * N, 0, cudaMemcpyDeviceToHost);
    P *start;
    cudaGetSymbolAddress((void **)&start, table);
    step<<<1, 1>>>(start, 4);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
