//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
template <typename T, typename... Rest>
__device__ void bump(T *q, Rest... rest) {
    q->x += 1.0f;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bump(p, n); //~ LC0029 parameter `q` of `bump` cannot be rewritten: no instance of this template can be written for the call
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
