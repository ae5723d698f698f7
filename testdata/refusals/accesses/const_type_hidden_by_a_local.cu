//@ layout = "P = soa"
struct V {
    float a;
};
struct P {
    float x;
    int id;
    V v;
};
__device__ int tag(V &) { return 1; }
__device__ int tag(const V &) { return 2; }
__global__ void step(P *p, const P *c) {
    int V = threadIdx.x;
    p[V].id = tag(c[V].v); //~ LC0017 depends on `const` here
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d, d);
    cudaFree(d);
}
