//@ layout = "* = soa"
template <class T>
struct Vec {
    T x, y;
};
template <class T>
__global__ void step(Vec<T> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
template <class T>
struct App {
    void run(int n) {
        Vec<T> *d;
        cudaMalloc((void **)&d, n * sizeof(Vec<T>));
        step<T><<<1, 128>>>(d, n);
        cudaFree(d);
    }
};
int main() {
    App<float> app;
    app.run(100);
    return 0;
}
