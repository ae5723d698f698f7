//@ layout = "* = soa"
struct P {
    float x, y;
};
template <class T>
struct Buffer {
    T *data;
    int n;
};
__global__ void step(Buffer<P> b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.n) b.data[i].x += b.data[i].y;
}
int main() {
    Buffer<P> b;
    b.n = 100;
    cudaMalloc((void **)&b.data, 100 * sizeof(P));
    step<<<1, 128>>>(b);
    cudaFree(b.data);
    return 0;
}
