//@ layouts = ["P = soa", "P = tiled(32)"]
struct P {
    float x, y;
    __device__ float mixed(float a) const {
        const auto twice = [&](const auto value, float scale) { return value * scale + x; };
        return twice(y, 2.0f) + a;
    }
};

__device__ float summed(const P &p, float a) {
    auto both = [&](float b) { return p.x * b + p.y; };
    return both(a) + both(1.0f);
}

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x = p[i].mixed(3.0f) + summed(p[n - 1 - i], 2.0f);
}

int main() {
    P *d;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMemset(d, 0, 20 * sizeof(P));
    step<<<1, 32>>>(d, 20);
    return 0;
}
