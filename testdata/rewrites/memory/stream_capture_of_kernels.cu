//@ layout = "P = soa"
// Copies before and behind the capture, kernels, fills and device copies in it.
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
    P *h = new P[n]();
    P *d, *e;
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&e, n * sizeof(P));
    cudaGraph_t graph;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(d, h, n * sizeof(P), cudaMemcpyHostToDevice, stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(e, 0, n * sizeof(P), stream);
    step<<<1, 128, 0, stream>>>(d, n);
    cudaMemcpyAsync(e, d, n * sizeof(P), cudaMemcpyDeviceToDevice, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaMemcpyAsync(h, e, n * sizeof(P), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaFree(d);
    cudaFree(e);
    delete[] h;
    return 0;
}
