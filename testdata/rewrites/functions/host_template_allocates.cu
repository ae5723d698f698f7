//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
};
template <class T>
__global__ void step(T *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
template <class T>
int run(int n, T *host) {
    T *d;
    cudaMalloc((void **)&d, n * sizeof(T));
    cudaMemcpy(d, host, n * sizeof(T), cudaMemcpyHostToDevice);
    step<T><<<1, 128>>>(d, n);
    cudaMemcpy(host, d, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return n;
}
int main() {
    P h[100] = {};
    return run<P>(100, h) + run(10, h) == 0;
}
