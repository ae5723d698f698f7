//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};

struct Q {
    float weight;
};

struct View {
    Q *data;
    __device__ Q &at(int i) const { return data[i]; }
    __device__ Q &operator[](int i) const { return data[i]; }
};

__global__ void step(P *p, View weights, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += weights.at(p[i].id).weight + weights[p[i].id].weight;
}

int main() {
    P *d;
    Q *q;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMalloc(&q, 20 * sizeof(Q));
    cudaMemset(d, 0, 20 * sizeof(P));
    cudaMemset(q, 0, 20 * sizeof(Q));
    step<<<1, 32>>>(d, View{q}, 20);
    return 0;
}
