//@ layouts = ["P = soa", "P = tiled(32)"]
struct P {
    float x, y;
    template <class U> __host__ __device__ operator U() {
        y += 1.0f;
        return (U)x;
    }
};

__global__ void step(P *p, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        float value = p[i]; //~ LC0080 an element is converted to another type
        out[i] = value;
    }
}

int main() {
    P *d;
    float *out;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMalloc(&out, 20 * sizeof(float));
    cudaMemset(d, 0, 20 * sizeof(P));
    step<<<1, 32>>>(d, out, 20);
    return 0;
}
