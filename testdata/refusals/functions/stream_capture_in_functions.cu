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
void fetch(P *to, P *d, int n, cudaStream_t stream) {
    cudaMemcpyAsync(to, d, n * sizeof(P), cudaMemcpyDeviceToHost, stream); //~ LC0085 this copy may be captured into a graph, where its conversion could not allocate
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaGraph_t graph;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    step<<<1, 128, 0, stream>>>(d, n);
    fetch(h, d, n, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaFree(d);
    delete[] h;
    return 0;
}
