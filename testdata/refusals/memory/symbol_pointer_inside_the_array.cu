//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P *table; //~ LC0026 this variable with static storage may point to an element other than the first
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += table[i % 4].x;
}
int main(int argc, char **argv) {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    P *q = d + 1;
    cudaMemcpyToSymbol(table, &q, sizeof(q)); //~ LC0026 the call starts inside the array //~ LC0026 this is not plainly the address of a pointer to the first element
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
