//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P *table[2];
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += table[i % 2][0].x;
}
int main(int argc, char **argv) {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    P *both[2] = {d, d};
    cudaMemcpyToSymbol(table, both, sizeof(both)); //~ LC0010 the address of the pointer is passed to the runtime //~ LC0079 the size of pointers is taken
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
