//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
template <typename F>
__device__ void each(P *q, F f) {
    f(*q); //~ LC0010 the function that takes this argument is not known
}
__global__ void step(P *p, int n) {
    each(p, [](P &e) { e.x = 1; });
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
