//@ layout = "P = soa"
namespace inner {
struct Pair {
    float a, b;
};
struct Base {
    Pair pair; //~ LC0027 the type of `pair` is named in the scope of a base class in another namespace
};
}
struct P : inner::Base {
    float mass;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].pair.a += 1.0f;
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
