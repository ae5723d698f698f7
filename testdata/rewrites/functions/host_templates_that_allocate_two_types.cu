//@ layouts = ["* = tiled(32)", "* = soa"]
struct P {
    float x;
    int id;
};

struct Q {
    float weight;
    int kind;
};

template <class T> T *allocate(int n) {
    T *d = nullptr;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}

__global__ void step(P *p, Q *q, float *f, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += q[p[i].id].weight + f[i];
}

int main() {
    P *p = allocate<P>(20);
    Q *q = allocate<Q>(30);
    float *f = allocate<float>(20);
    step<<<1, 32>>>(p, q, f, 20);
    cudaFree(p);
    cudaFree(q);
    cudaFree(f);
    return 0;
}
