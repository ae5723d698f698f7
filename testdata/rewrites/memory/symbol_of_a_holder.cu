//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
struct Box {
    P *items;
    int n;
};
__constant__ Box table;
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += table.items[i % table.n].x;
}
int main(int argc, char **argv) {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    Box box = {d, n};
    cudaMemcpyToSymbol(table, &box, sizeof(Box));
    cudaMemcpyFromSymbol(&box, table, sizeof(box));
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
