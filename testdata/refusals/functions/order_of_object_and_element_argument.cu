//@ layout = "V = soa"
struct V {
    float x;
    float a[3];
    __host__ __device__ V &add(const V &o) {
        x += o.x;
        return *this;
    }
    __host__ __device__ V &operator+=(const V &o) {
        x += o.x;
        return *this;
    }
    __device__ float &operator[](int i) { return a[i]; }
};
__device__ int next(int &c) {
    c = (c * 5 + 7) % 64;
    return c;
}
__global__ void k(V *p, V *q) {
    int c = 0;
    for (int i = 0; i < 20; i++)
        p[next(c)].add(q[next(c)]); //~ LC0081 the object and an argument depend on each other's order of evaluation
}
int main() {
    V *a, *b;
    cudaMalloc(&a, 64 * sizeof(V));
    cudaMalloc(&b, 64 * sizeof(V));
    k<<<1, 1>>>(a, b);
    cudaFree(a);
    cudaFree(b);
}
