//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P table[4];
__device__ void add(P *p, int i) {
    p[i].x += 1.0f;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += table[i % 4].x, add(table, 0), add(p, i);
}
int main(int argc, char **argv) {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyToSymbolAsync(table, h, sizeof(table), 0, cudaMemcpyHostToDevice, stream); //~ LC0085 this copy may be captured into a graph, where its conversion could not allocate
    step<<<1, 128, 0, stream>>>(d, n);
    cudaStreamEndCapture(stream, &graph);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
