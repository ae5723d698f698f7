//@ layout = "* = soa"
template <class T>
struct Vec {
    T x, y;
    __device__ void mix() {
        Vec a = *this;
        Vec<T> b = a; //~ LC0029 a version would hide the class template that this names
        x += b.y;
    }
};
__global__ void step(Vec<float> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].mix();
}
int main() {
    Vec<float> *d;
    cudaMalloc((void **)&d, 100 * sizeof(Vec<float>));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
