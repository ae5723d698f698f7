//@ layouts = ["Agent = tiled(32)", "Agent = soa"]
struct Agent {
    enum Mood { calm, busy };
    typedef float real;
    Mood mood;
    real x;
};
__global__ void step(Agent *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (p[i].mood == Agent::busy) p[i].x += 1;
    }
}
int main() {
    int n = 100;
    Agent *h = new Agent[n]();
    Agent *d;
    cudaMalloc(&d, n * sizeof(Agent));
    cudaMemcpy(d, h, n * sizeof(Agent), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Agent), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
