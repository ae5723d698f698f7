//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
template <class T> __device__ int tag(T *t) { return t->id + 1; }
template <class T> __device__ int tag(const T *t) { return t->id + 2; }
__global__ void step(P *p, int *out) {
    int i = threadIdx.x;
    out[i] = tag<P>(p + i); //~ LC0083 several templates of this name
}
int main() {
    P *d;
    int *out;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d, out);
    cudaFree(d);
    cudaFree(out);
}
