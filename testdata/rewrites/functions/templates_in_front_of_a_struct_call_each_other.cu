//@ layouts = ["* = soa", "* = tiled(32)"]
struct P {
    float x, y;
    int id;
};
template <typename T>
__global__ void step(T *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += 2;
}
template <typename T>
void launch(T *v, int n) {
    step<T><<<1, 32>>>(v, n);
}
struct R {
    double x;
    int y;
};
int main() {
    int n = 30;
    P *h = new P[n]();
    R *g = new R[n]();
    P *a;
    R *b;
    cudaMalloc(&a, n * sizeof(P));
    cudaMalloc(&b, n * sizeof(R));
    cudaMemcpy(a, h, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(b, g, n * sizeof(R), cudaMemcpyHostToDevice);
    launch<P>(a, n);
    launch(b, n);
    cudaMemcpy(h, a, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaMemcpy(g, b, n * sizeof(R), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    delete[] h;
    delete[] g;
    return 0;
}
