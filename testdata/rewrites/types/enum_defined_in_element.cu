//@ layouts = ["P = soa", "P = tiled(32)"]
struct P {
    float x;
    enum Kind { None, Some } kind;
    enum class Mood : char { Good, Bad } moods[2];
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && p[i].kind == P::Some) {
        p[i].x += 1.0f;
        p[i].moods[1] = P::Mood::Bad;
    }
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
