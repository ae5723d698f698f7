//@ layouts = ["P = soa", "P = tiled(32)"]
struct P {
    float x, y;
    template <class F> __device__ static float run(F f) { return f(1.0f); }
    __device__ float given(float a) const {
        const auto twice = [&](float value) { return value * 2.0f + x; };
        return run(twice) + a;
    }
};

struct Q {
    float x, y;
    __device__ float stored(Q *all) const {
        const auto change = [=](float value) {
            all[1].x = value;
            return x;
        };
        return change(y) + x;
    }
};

__global__ void step(P *p, Q *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x = p[i].given(3.0f); //~ LC0027 `given` may change the element and cannot be given a version: it names something of its class that is not public or cannot be qualified
        q[i].y = q[i].stored(q); //~ LC0027 `stored` may change the element and cannot be given a version: it holds a lambda that captures the object
    }
}

int main() {
    P *d;
    Q *e;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMalloc(&e, 20 * sizeof(Q));
    cudaMemset(d, 0, 20 * sizeof(P));
    cudaMemset(e, 0, 20 * sizeof(Q));
    step<<<1, 32>>>(d, e, 20);
    return 0;
}
